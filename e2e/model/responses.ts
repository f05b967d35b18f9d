import type { Showing } from './request-model';
import { bind, encryptResponse, type OpenedRequest } from '../src/handmade-wallet';
import type { Held } from './world';

export type Form = Readonly<Record<string, string>>;

/** What a response is made of. */
export interface Ingredients {
  readonly own: OpenedRequest;
  /** The other flow variant of the same request. */
  readonly twin: OpenedRequest;
  readonly foreign: OpenedRequest;
  readonly held: Held;
}

const encrypted = async (request: OpenedRequest, members: object): Promise<Form> => ({
  response: await encryptResponse(request, JSON.stringify(members)),
});
const bound = (request: OpenedRequest, { sdJwt, holder }: Held) => ({ card: [bind(sdJwt, request, holder)] });
const declined = { error: 'access_denied' };

/** Breaks the authentication tag. */
function garble({ response = '' }: Form): Form {
  const [tag = '', ...rest] = response.split('.').reverse();
  return { response: [...rest.reverse(), `${tag.startsWith('A') ? 'B' : 'A'}${tag.slice(1)}`].join('.') };
}

const good = ({ own, held }: Ingredients) => encrypted(own, { vp_token: bound(own, held), state: own.state });

/** How each response is made. */
const FORMS: Readonly<Record<Showing, (of: Ingredients) => Promise<Form>>> = {
  good,
  other_nonce: ({ own, twin, held }) => encrypted(own, { vp_token: bound(twin, held), state: own.state }),
  unbound: ({ own, held }) => encrypted(own, { vp_token: { card: [held.sdJwt] }, state: own.state }),
  foreign: (of) => good({ ...of, own: of.foreign }),
  other_state: ({ own, foreign, held }) => encrypted(own, { vp_token: bound(own, held), state: foreign.state }),
  garbled: async (of) => garble(await good(of)),
  no_jwe: async () => ({ response: 'a.b.c' }),
  plain_token: async ({ own, held }) => ({ vp_token: JSON.stringify(bound(own, held)), state: own.state }),
  declined: ({ own }) => encrypted(own, { ...declined, state: own.state }),
  declined_plainly: async ({ own }) => ({ ...declined, state: own.state }),
  declined_for_another: async ({ foreign }) => ({ ...declined, state: foreign.state }),
};

export const makeForm = (showing: Showing, of: Ingredients): Promise<Form> => FORMS[showing](of);
