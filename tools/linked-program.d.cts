/** A file of a linked program: its path in the workspace, kind, what it requires by index, its first line and its code. */
export type LinkedFile = readonly [
  name: string,
  kind: 'cjs' | 'esm' | 'live' | 'json',
  required: Readonly<Record<string, number>>,
  line: number,
  code: (
    exports: Record<string, unknown>,
    require: NodeJS.Require,
    module: NodeJS.Module,
    filename: string,
    folder: string,
  ) => void,
];

/** Ends this process on SIGTERM and SIGINT, with exit code 1, as long as nobody else listens to them. */
export declare function endOnSignals(host: Pick<NodeJS.Process, 'on' | 'listenerCount' | 'exit'>): void;

/** Runs the first of the files, as the program whose `require` and file name these are. */
export declare function run(
  files: readonly LinkedFile[],
  program: { readonly require: NodeJS.Require; readonly filename: string },
): void;
