import type { SeenCallback } from './verdict';

/** What a wallet wanted from an offer, and the credentials that it has, with verified signature, key and claims. */
export interface IssuanceStory {
  readonly kind: 'issuance';
  /** The id of the offer. */
  readonly id: string;
  readonly wanted: number;
  readonly held: number;
}

/** What a wallet did with a request, and the final answer that it received. */
export interface PresentationStory {
  readonly kind: 'presentation';
  /** The state of the request. */
  readonly id: string;
  /** `broken`: presented without key binding. `invalid`: what is revoked or suspended. `nothing`: no wallet responded. */
  readonly did: 'presented' | 'denied' | 'broken' | 'invalid' | 'nothing';
  /** By the last answer to its response; `nothing`: there was none. */
  readonly heard: 'accepted' | 'refused' | 'nothing';
  /** From the redirect address that the wallet received. */
  readonly responseCode?: string | undefined;
  /** All disclosed claims. */
  readonly claims?: object | undefined;
}

/** A flow as its wallet saw it. */
export type WalletStory = IssuanceStory | PresentationStory;

const FIRST_OF_AN_OFFER = 'OFFER_CREATED';

interface ToldBody {
  readonly responseCode?: string;
  readonly credentials?: Readonly<Record<string, readonly { readonly claims: object }[]>>;
}

function issuanceDifferences({ wanted, held }: IssuanceStory, ends: readonly string[]): string[] {
  const told = ends.length === 0 ? 'nothing' : ends.join(' and ');
  if (ends.includes('ISSUED'))
    return held === wanted ? [] : [`the backend was told ${told}, and the wallet holds ${held} of ${wanted}`];
  return held === 0 ? [] : [`the wallet holds ${held} of ${wanted}, and the backend was told ${told}`];
}

/** Normalises the order of members. */
const sorted = (claims: object): string => JSON.stringify(Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1)));

function contentDifferences({ claims = {}, responseCode }: PresentationStory, body: ToldBody): string[] {
  const told = Object.values(body.credentials ?? {}).flat();
  const isSame = told.length === 1 && told.every((credential) => sorted(credential.claims) === sorted(claims));
  return [
    ...(isSame ? [] : ['the backend was told other claims than the wallet presented']),
    ...(body.responseCode === responseCode ? [] : ['the wallet and the backend have different response codes']),
  ];
}

/** What a backend is told about an accepted response. */
const ACCEPTED_AS = { presented: 'FULFILLED', denied: 'REJECTED' } as const;

function presentationDifferences(
  story: PresentationStory,
  ends: readonly string[],
  callbacks: readonly SeenCallback[],
): string[] {
  const { did, heard } = story;
  const told = ends.length === 0 ? 'nothing' : ends.join(' and ');
  const differ = `the wallet ${did === 'nothing' ? 'never came' : did} and heard ${heard}, and the backend was told ${told}`;
  const accepted = did === 'presented' || did === 'denied' ? ACCEPTED_AS[did] : undefined;
  if (heard === 'accepted' && (ends.length !== 1 || ends[0] !== accepted)) return [differ];
  if (heard !== 'accepted' && (ends.length === 0 || ends.some((end) => end === 'FULFILLED' || end === 'REJECTED')))
    return [differ];
  const fulfilled = callbacks.filter(({ status }) => status === 'FULFILLED');
  return fulfilled.flatMap(({ text }) => contentDifferences(story, JSON.parse(text) as ToldBody));
}

/**
 * All differences between wallets and backends: ISSUED without the credentials in the wallet, or the other way round; a
 * response that only one side considers accepted, or that was not reported; claims that were reported but not
 * presented.
 */
export function findDifferences(stories: readonly WalletStory[], callbacks: readonly SeenCallback[]): string[] {
  const byId = new Map<string, SeenCallback[]>();
  for (const callback of callbacks) byId.set(callback.id, [...(byId.get(callback.id) ?? []), callback]);
  return stories.flatMap((story) => {
    const mine = byId.get(story.id) ?? [];
    const ends = [...new Set(mine.map(({ status }) => status))].filter((status) => status !== FIRST_OF_AN_OFFER);
    const found =
      story.kind === 'issuance' ? issuanceDifferences(story, ends) : presentationDifferences(story, ends, mine);
    return found.map((difference) => `${story.kind} ${story.id}: ${difference}`);
  });
}
