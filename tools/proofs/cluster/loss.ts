/** What begins a fault of one flow, or of one change of a status. */
const ABOUT = /^((?:flow|status change) \d+|(?:presentation|issuance) \S+): /;
/**
 * Lost commits cost a flow its end, or give it a second one. They make nothing acceptable that was not presented as it
 * must be, change no claims, and are no error of this program. A lost revocation, though, lets a wallet present.
 */
const UNEXPLAINED: readonly RegExp[] = [
  /^(?:flow|status change) \d+: (?!(?:WrongAnswer|Away|ServerRefusal): )/,
  /: broken response: 200\b/,
  /: ended as FULFILLED, expected (?:VERIFICATION_FAILED|REJECTED|EXPIRED)$/,
  /: the wallet broken and heard accepted\b/,
  /: the wallet (?:broken|denied|never came) and heard .*, and the backend was told .*\bFULFILLED\b/,
  /: the backend was told other claims than the wallet presented$/,
  /: the wallet and the backend have different response codes$/,
];

export interface Loss {
  /** How many flows and changes it cost. */
  readonly cost: number;
  /** Faults that no lost commit explains. */
  readonly unexplained: readonly string[];
}

/** What of these faults the promotion of a standby that was behind explains. */
export function judgeLoss(faults: readonly string[]): Loss {
  const isExplained = (fault: string) => ABOUT.test(fault) && !UNEXPLAINED.some((one) => one.test(fault));
  const touched = new Set(faults.filter(isExplained).map((fault) => ABOUT.exec(fault)?.[1]));
  return { cost: touched.size, unexplained: faults.filter((fault) => !isExplained(fault)) };
}
