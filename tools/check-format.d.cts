/** The files in a folder that do not have the form that Prettier gives them; its ignore file and its settings count. */
export declare function unformattedFiles(folder: string): string[];
