/** What the element says; an attribute of the same name replaces a sentence. */
export interface Texts {
  readonly scan: string;
  readonly open: string;
  readonly otherDevice: string;
  readonly browserWallet: string;
  readonly waiting: string;
  readonly over: string;
}

const ENGLISH: Texts = {
  scan: 'Scan this code with your wallet',
  open: 'Open wallet on this device',
  otherDevice: 'Use another device',
  browserWallet: 'Ask the wallet through this browser',
  waiting: 'Waiting for your wallet …',
  over: 'Done.',
};

const GERMAN: Texts = {
  scan: 'Scannen Sie diesen Code mit Ihrer Wallet',
  open: 'Wallet auf diesem Gerät öffnen',
  otherDevice: 'Anderes Gerät verwenden',
  browserWallet: 'Wallet über diesen Browser fragen',
  waiting: 'Wir warten auf Ihre Wallet …',
  over: 'Fertig.',
};

/** The texts of a language: German for `de` and its regions, else English. */
export const textsOf = (language: string): Texts => (/^de\b/i.test(language) ? GERMAN : ENGLISH);
