import { existsSync } from 'node:fs';
import path from 'node:path';

const above = path.resolve(__dirname, '../../../..');

/** The checkout, for the sources as well as for the compiled files below `dist`. */
export const workspaceRoot = existsSync(path.join(above, 'package.json')) ? above : path.dirname(above);
