import type { Showing } from './request-model';
import { digestOf, type JwtDraft } from '../src/handmade-credential';
import { bind, encryptResponse, type OpenedRequest } from '../src/handmade-wallet';
import type { Held } from './world';

type Members = Record<string, unknown>;
export type Form = Readonly<Record<string, string>>;

/** What a response is made of. */
export interface Ingredients {
  readonly own: OpenedRequest;
  /** The other flow variant of the same request. */
  readonly twin: OpenedRequest;
  readonly foreign: OpenedRequest;
  readonly held: Held;
  readonly other: Held;
}

const encrypted = async (request: OpenedRequest, members: object): Promise<Form> => ({
  response: await encryptResponse(request, JSON.stringify(members)),
});
const declined = { error: 'access_denied' };

/** The hashes of the transaction data of a request (OpenID4VP 1.0 §B.3.3.1). */
export function hashesOf({ claims }: OpenedRequest): readonly string[] | undefined {
  const data = claims['transaction_data'] as readonly string[] | undefined;
  return data?.map((text) => digestOf(text));
}

const confirming =
  (hashes: readonly string[] | undefined) =>
  ({ payload }: JwtDraft) =>
    hashes === undefined ? {} : { payload: { ...(payload as Members), transaction_data_hashes: hashes } };

/** A presentation of a credential that answers `request`, as `own` was asked. */
const show = (own: OpenedRequest, { sdJwt, holder }: Held, request = own) =>
  bind(sdJwt, request, holder, confirming(hashesOf(own)));

/** Breaks the authentication tag. */
function garble({ response = '' }: Form): Form {
  const [tag = '', ...rest] = response.split('.').reverse();
  return { response: [...rest.reverse(), `${tag.startsWith('A') ? 'B' : 'A'}${tag.slice(1)}`].join('.') };
}

const sendToken = (own: OpenedRequest, vpToken: object) => encrypted(own, { vp_token: vpToken, state: own.state });
const sendCard = (own: OpenedRequest, ...presentations: readonly string[]) => sendToken(own, { card: presentations });
const good = ({ own, held }: Pick<Ingredients, 'own' | 'held'>) => sendCard(own, show(own, held));

/** How each response is made. */
const FORMS: Readonly<Record<Showing, (of: Ingredients) => Promise<Form>>> = {
  good,
  other_nonce: ({ own, twin, held }) => sendCard(own, show(own, held, { ...own, nonce: twin.nonce })),
  replayed: ({ own, foreign, held }) => sendCard(own, show(own, held, { ...own, nonce: foreign.nonce })),
  other_holder: ({ own, held, other }) => sendCard(own, show(own, { ...held, holder: other.holder })),
  unbound: ({ own, held }) => sendCard(own, held.sdJwt),
  undisclosed: ({ own, held }) => sendCard(own, show(own, { ...held, sdJwt: `${held.sdJwt.split('~')[0]}~` })),
  twice: ({ own, held, other }) => sendCard(own, show(own, held), show(own, other)),
  other_query: ({ own, held }) => sendToken(own, { badge: [show(own, held)] }),
  unconfirmed: ({ own, held: { sdJwt, holder } }) => sendCard(own, bind(sdJwt, own, holder)),
  other_transaction: ({ own, held: { sdJwt, holder } }) =>
    sendCard(own, bind(sdJwt, own, holder, confirming([digestOf('another')]))),
  foreign: ({ foreign, held }) => good({ own: foreign, held }),
  other_state: ({ own, foreign, held }) =>
    encrypted(own, { vp_token: { card: [show(own, held)] }, state: foreign.state }),
  garbled: async (of) => garble(await good(of)),
  no_jwe: async () => ({ response: 'a.b.c' }),
  plain_token: async ({ own, held }) => ({ vp_token: JSON.stringify({ card: [show(own, held)] }), state: own.state }),
  declined: ({ own }) => encrypted(own, { ...declined, state: own.state }),
  declined_plainly: async ({ own }) => ({ ...declined, state: own.state }),
  declined_for_another: async ({ foreign }) => ({ ...declined, state: foreign.state }),
};

/** Makes a response; one that confirms no transaction is good where none was sent. */
export function makeForm(showing: Showing, of: Ingredients): Promise<Form> {
  return FORMS[showing](of);
}
