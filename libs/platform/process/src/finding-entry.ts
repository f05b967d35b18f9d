/** `error`: something does not work, or will not when it is needed; `warning`: it works, and may not be what you want. */
export type FindingLevel = 'ok' | 'warning' | 'error';

export interface FindingEntry {
  readonly level: Exclude<FindingLevel, 'ok'>;
  readonly meaning: string;
  readonly remedy: string;
}
