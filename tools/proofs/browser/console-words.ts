/** What the buttons of the console are called. */
export interface Words {
  readonly locale: 'en' | 'de';
  readonly views: { readonly ask: string; readonly offer: string; readonly answer: string; readonly operate: string };
  readonly templates: readonly string[];
  readonly createRequest: string;
  readonly withdraw: string;
  readonly behaviour: string;
  readonly answer: string;
  readonly openWallet: string;
  readonly copyLink: string;
  readonly copied: string;
  readonly editor: string;
  readonly faults: string;
  readonly notJson: string;
  readonly backendSaw: string;
  readonly record: string;
  readonly asExpected: string;
  readonly signatureValid: string;
  readonly type: string;
  readonly needsTxCode: string;
  readonly createOffer: string;
  readonly cancelOffer: string;
  readonly redeem: string;
  readonly suspend: string;
  readonly restore: string;
  readonly revoke: string;
  readonly address: string;
  readonly reload: string;
  readonly retry: string;
  readonly callbacksWaiting: string;
  readonly callbacksDead: string;
  readonly scheme: string;
}

export const ENGLISH: Words = {
  locale: 'en',
  views: { ask: 'Ask', offer: 'Offer', answer: 'Answer', operate: 'Operate' },
  templates: ['Age 18+', 'PID', 'Address', 'KYC', 'Employee badge', 'Sample card'],
  createRequest: 'Create request',
  withdraw: 'Withdraw',
  behaviour: 'Behaviour',
  answer: 'Answer',
  openWallet: 'Open wallet on this device',
  copyLink: 'Copy link',
  copied: 'Copied',
  editor: 'Request as JSON',
  faults: 'The API refuses this:',
  notJson: 'This is not JSON:',
  backendSaw: 'What your backend received',
  record: 'Why: the decision record',
  asExpected: 'as expected',
  signatureValid: 'signature valid',
  type: 'Credential type',
  needsTxCode: 'Protect it with a transaction code',
  createOffer: 'Create offer',
  cancelOffer: 'Cancel offer',
  redeem: 'Redeem',
  suspend: 'Suspend',
  restore: 'Restore',
  revoke: 'Revoke',
  address: 'Address of a request or offer',
  reload: 'Reload',
  retry: 'Retry now',
  callbacksWaiting: 'Waiting callbacks',
  callbacksDead: 'Dead callbacks',
  scheme: 'Light or dark',
};

export const GERMAN: Words = {
  locale: 'de',
  views: { ask: 'Anfragen', offer: 'Anbieten', answer: 'Antworten', operate: 'Betreiben' },
  templates: ['Alter 18+', 'PID', 'Adresse', 'KYC', 'Dienstausweis', 'Beispielkarte'],
  createRequest: 'Anfrage erstellen',
  withdraw: 'Zurückziehen',
  behaviour: 'Verhalten',
  answer: 'Antworten',
  openWallet: 'Wallet auf diesem Gerät öffnen',
  copyLink: 'Link kopieren',
  copied: 'Kopiert',
  editor: 'Anfrage als JSON',
  faults: 'Das lehnt die API ab:',
  notJson: 'Das ist kein JSON:',
  backendSaw: 'Was Ihr Backend erhielt',
  record: 'Warum: das Prüfprotokoll',
  asExpected: 'wie erwartet',
  signatureValid: 'Signatur gültig',
  type: 'Art des Nachweises',
  needsTxCode: 'Mit einem Transaktionscode schützen',
  createOffer: 'Angebot erstellen',
  cancelOffer: 'Angebot zurückziehen',
  redeem: 'Einlösen',
  suspend: 'Aussetzen',
  restore: 'Wieder gültig',
  revoke: 'Widerrufen',
  address: 'Adresse einer Anfrage oder eines Angebots',
  reload: 'Neu laden',
  retry: 'Jetzt wiederholen',
  callbacksWaiting: 'Wartende Callbacks',
  callbacksDead: 'Aufgegebene Callbacks',
  scheme: 'Hell oder dunkel',
};
