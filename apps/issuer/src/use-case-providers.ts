import { setTimeout } from 'node:timers/promises';
import type { Provider } from '@nestjs/common';
import { CALLBACKS, type Callbacks } from '@vestibule/callbacks';
import { answerLimit } from '@vestibule/contracts';
import { AGREED_TIME, type AgreedTime } from '@vestibule/persistence';
import { TRANSPORT, randomBytes, type ExpiryHold } from '@vestibule/process';
import type {
  CredentialOffers,
  FindAttestationStatus,
  Issuances,
  OfferChanges,
  OfferList,
  Redemptions,
  Reports,
  SigningKeys,
  StatusLists,
} from './domain/ports';
import type { IssuerSettings } from './issuer-settings';
import {
  ATTESTATION_STATUS,
  CHANGES,
  HOLD,
  ISSUANCES,
  KEYS,
  OFFER_LIST,
  OFFERS,
  REDEMPTIONS,
  REPORTS,
  SETTINGS,
  STATUS_LISTS,
} from './tokens';
import { createIssuers } from './wallet-use-cases';
import { acceptHandOvers } from './use-cases/accept-hand-overs';
import { cancelCredentialOffer } from './use-cases/cancel-credential-offer';
import { changeCredentialOffer } from './use-cases/change-credential-offer';
import { changeCredentialStatus } from './use-cases/change-credential-status';
import { createCredentialOffer } from './use-cases/create-credential-offer';
import { expireCredentialOffers } from './use-cases/expire-credential-offers';
import { issuersOf, type Issuers } from './use-cases/issuers';
import { markUnservedWallets } from './use-cases/mark-unserved-wallets';
import { getCredentialOffer, listCredentialOffers, type GetCredentialOffer } from './use-cases/read-credential-offer';

/** Between two batches of expired offers: 100,000 that expire at the same moment still take less than a minute. */
const REST_MILLISECONDS = 20;
const clock = () => new Date();
const random = randomBytes;

type Settings = IssuerSettings;

/** The bus that carries the answers. */
interface Bus {
  maxPayloadBytes(): number | undefined;
}

/** What is given to {@link issuers}, in this order. */
type Given = readonly [
  settings: Settings,
  keys: SigningKeys,
  offers: CredentialOffers,
  changes: OfferChanges,
  redemptions: Redemptions,
  issuances: Issuances,
  lists: StatusLists,
  reports: Reports,
  findAttestationStatus: FindAttestationStatus,
  bus: Bus,
];
const GIVEN = [
  SETTINGS,
  KEYS,
  OFFERS,
  CHANGES,
  REDEMPTIONS,
  ISSUANCES,
  STATUS_LISTS,
  REPORTS,
  ATTESTATION_STATUS,
  TRANSPORT,
];

const issuers = (...given: Given): Issuers => {
  const [settings, keys, offers, changes, redemptions, issuances, lists, reports, findAttestationStatus, bus] = given;
  const mostAnswerBytes = () => answerLimit(bus.maxPayloadBytes());
  const stores = { offers, changes, redemptions, issuances, lists };
  return createIssuers(settings, { clock, random, keys, reports, findAttestationStatus, mostAnswerBytes, ...stores });
};

/** Requests of wallets and of everybody, and reports about their answers. */
const FOR_WALLETS: Provider[] = [
  { provide: issuersOf, inject: GIVEN, useFactory: issuers },
  {
    provide: acceptHandOvers,
    inject: [SETTINGS, ISSUANCES],
    useFactory: ({ handOverKeys }: Settings, { recordHandOvers }: Issuances) =>
      acceptHandOvers({ clock, handOverKeys, recordHandOvers }),
  },
];

function creation(
  { types, credentialOfferEndpoint }: Settings,
  { chainEndsAt }: SigningKeys,
  { insert, recall }: CredentialOffers,
  reports: Reports,
  callbacks: Callbacks,
) {
  const { reportShortened } = reports;
  const { urlFault: callbackUrlFault } = callbacks;
  const addresses = { callbackUrlFault, credentialOfferEndpoint };
  return createCredentialOffer({ clock, random, addresses, chainEndsAt, reportShortened, types, insert, recall });
}

/** Requests of backends about their offers and issued credentials. */
const FOR_BACKENDS: Provider[] = [
  { provide: createCredentialOffer, inject: [SETTINGS, KEYS, OFFERS, REPORTS, CALLBACKS], useFactory: creation },
  {
    provide: getCredentialOffer,
    inject: [SETTINGS, KEYS, OFFERS],
    useFactory: ({ types }: Settings, { chainEndsAt }: SigningKeys, { findView }: CredentialOffers) =>
      getCredentialOffer({ clock, types, chainEndsAt, findView }),
  },
  {
    provide: listCredentialOffers,
    inject: [SETTINGS, KEYS, OFFER_LIST],
    useFactory: ({ types }: Settings, { chainEndsAt }: SigningKeys, findPage: OfferList) =>
      listCredentialOffers({ clock, types, chainEndsAt, findPage }),
  },
  {
    provide: changeCredentialOffer,
    inject: [SETTINGS, CHANGES, getCredentialOffer],
    useFactory: ({ types }: Settings, changes: OfferChanges, view: GetCredentialOffer) => {
      const { findChangeable, completeClaims, deny } = changes;
      return changeCredentialOffer({ clock, types, findChangeable, completeClaims, deny, view });
    },
  },
  {
    provide: cancelCredentialOffer,
    inject: [CHANGES],
    useFactory: ({ cancel }: OfferChanges) => cancelCredentialOffer({ clock, cancel }),
  },
  {
    provide: changeCredentialStatus,
    inject: [STATUS_LISTS],
    useFactory: ({ changeStatus }: StatusLists) => changeCredentialStatus({ clock, changeStatus }),
  },
  {
    provide: expireCredentialOffers,
    inject: [OFFERS, HOLD, AGREED_TIME],
    useFactory: ({ findOverdue, expire }: CredentialOffers, { held }: ExpiryHold, agreedTime: AgreedTime) =>
      expireCredentialOffers({
        clock,
        agreedTime,
        findOverdue: held(findOverdue),
        expire,
        rest: () => setTimeout(REST_MILLISECONDS),
      }),
  },
  {
    provide: markUnservedWallets,
    inject: [OFFERS],
    useFactory: ({ markUnserved }: CredentialOffers) => markUnservedWallets({ clock, markUnserved }),
  },
];

/** The use cases of the issuer over its adapters, each under the function that makes it. */
export const USE_CASES: readonly Provider[] = [...FOR_WALLETS, ...FOR_BACKENDS];
