'use strict';
// Ends with a clear message when this Node is too old.
require('./checks.cjs').checkNode();
