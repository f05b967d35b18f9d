/** What begins a fault of one flow, or of one change of a status. */
const ABOUT = /^((?:flow|status change) \d+|(?:presentation|issuance) \S+): /;
/** Lost commits cost a flow its end, or give it a second one; they change no claims. */
const OF_CLAIMS = 'the backend was told other claims than the wallet presented';

export interface Loss {
  /** How many flows and changes it cost. */
  readonly cost: number;
  /** Faults that no lost commit explains. */
  readonly unexplained: readonly string[];
}

/** What of these faults the promotion of a standby that was behind explains. */
export function judgeLoss(faults: readonly string[]): Loss {
  const explained = faults.filter((fault) => ABOUT.test(fault) && !fault.endsWith(OF_CLAIMS));
  const touched = new Set(explained.map((fault) => ABOUT.exec(fault)?.[1]));
  return { cost: touched.size, unexplained: faults.filter((fault) => !explained.includes(fault)) };
}
