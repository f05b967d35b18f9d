'use strict';
// Ends with a clear message if this Node is too old.
require('./checks.cjs').checkNode();
