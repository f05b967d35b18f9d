import { Failure, UsageError, type Command, type Input } from '../command';
import { problemSentence } from '../management';
import { QR_BYTES, renderTerminalQr } from '../terminal-qr';

/** The members of our answers that wallets scan. */
const SCANNED = ['credential_offer_uri', 'cross_device_request_uri'] as const;

/** The address in the answer of POST /offers or POST /oidc4vp, else the text itself. */
function textIn(input: string): string {
  const text = input.trim();
  if (!text.startsWith('{')) return text;
  const answer = parseAnswer(text);
  for (const name of SCANNED) {
    const address = answer[name];
    if (typeof address === 'string') return address;
  }
  throw new Failure(problemSentence(answer, `the JSON on standard input has neither ${SCANNED.join(' nor ')}`));
}

function parseAnswer(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Failure('what is on standard input begins as JSON but is none');
  }
}

async function show({ arguments: { text }, host }: Input): Promise<number> {
  const shown = text ?? textIn(await host.read());
  if (shown === '') throw new UsageError('there is no text: give one, or pipe the answer of POST /offers');
  if (Buffer.byteLength(shown) > QR_BYTES) throw new Failure(`a QR code holds at most ${QR_BYTES} bytes`);
  for (const line of renderTerminalQr(shown)) host.paint(line);
  return 0;
}

export const qr: Command = {
  name: 'qr',
  summary: 'shows an offer or a request as a QR code in the terminal, for a phone',
  actions: [
    {
      name: '',
      about: 'shows a QR code of <text>, or of the address in the JSON on standard input',
      arguments: [{ name: 'text', required: false }],
      options: {},
      run: show,
    },
  ],
  about: [
    'Without <text>, standard input is read: the answer of POST /offers or POST /oidc4vp, or any text. Of an answer, the\n' +
      'address that wallets scan is shown: credential_offer_uri or cross_device_request_uri.',
    'The code is black on white in any terminal that knows 256 colours. If it does not fit, make the letters smaller.',
  ],
  examples: [
    ['vestibule qr', 'the offer or request that is piped to it: curl … | vestibule qr'],
    ["vestibule qr 'openid-credential-offer://?credential_offer_uri=…'", 'the same, by its address'],
  ],
};
