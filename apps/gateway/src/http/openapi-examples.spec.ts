import {
  callbackKeys,
  callbackReplay,
  callbackRetry,
  callbackTest,
  credentialImport,
  credentialOfferBody,
  credentialOfferChange,
  credentialOfferCreated,
  credentialOfferView,
  credentialStatusBody,
  credentialStatusChanged,
  credentialView,
  entityView,
  presentationBinding,
  presentationCreation,
  presentationRequestBody,
  presentationRequestCreated,
  presentationRequestItem,
  presentationRequestView,
  presentationView,
  readiness,
  undeliveredCallback,
  walletView,
} from '@vestibule/contracts';
import { z } from 'zod';
import { EXAMPLES } from './openapi-examples';

describe('the examples', () => {
  const answers: Readonly<Record<string, z.ZodType>> = {
    createPresentationRequest: presentationRequestCreated.strict(),
    getPresentationRequest: presentationRequestView.strict(),
    createCredentialOffer: credentialOfferCreated.strict(),
    listPresentationRequests: z.array(presentationRequestItem.strict()),
    listCredentialOffers: z.array(credentialOfferView.strict()),
    getCredentialOffer: credentialOfferView.strict(),
    changeCredentialOffer: credentialOfferView.strict(),
    changeCredentialStatus: credentialStatusChanged.strict(),
    EntityCreateV1: entityView.strict(),
    EntityListV1: z.array(entityView.strict()),
    WalletListV1: z.array(walletView.strict()),
    WalletCreateV1: walletView.strict(),
    CredentialGetV1: credentialView.strict(),
    CredentialListV1: z.array(credentialView.strict()),
    PresentationGetV1: presentationView.strict(),
    CredentialImportV1: credentialView.strict(),
    PresentationCreateV1: presentationView.strict(),
    PresentationUpdateV1: presentationView.strict(),
    PresentationIssueV1: presentationView.strict(),
    PresentationAbandonV1: presentationView.strict(),
    PresentationPresentV1: presentationView.strict(),
    PresentationListV1: z.array(presentationView.strict()),
    listCallbacks: z.array(undeliveredCallback.strict()),
    retryCallbacks: callbackRetry.strict(),
    retryCallback: callbackRetry.strict(),
    replayCallbacks: callbackReplay.strict(),
    replayCallback: callbackReplay.strict(),
    listCallbackKeys: z.array(callbackKeys.strict()),
    testCallbacks: z.array(callbackTest.strict()),
    isLive: z.strictObject({ live: z.literal(true) }),
    isReady: z.strictObject({
      ready: z.boolean(),
      version: z.string(),
      services: z.record(z.string(), readiness.strict()),
    }),
  };

  it.each(Object.keys(EXAMPLES))('of %s keep to its contract', (name) => {
    expect(answers[name]?.safeParse(EXAMPLES[name]?.answer).error?.issues).toBeUndefined();
    expect(answers).toHaveProperty(name);
  });

  it('of bodies keep to their contracts', () => {
    presentationRequestBody.parse(EXAMPLES['createPresentationRequest']?.request);
    credentialOfferBody.parse(EXAMPLES['createCredentialOffer']?.request);
    credentialOfferChange.parse(EXAMPLES['changeCredentialOffer']?.request);
    credentialStatusBody.parse(EXAMPLES['changeCredentialStatus']?.request);
    credentialImport.parse(EXAMPLES['CredentialImportV1']?.request);
    presentationCreation.parse(EXAMPLES['PresentationCreateV1']?.request);
    presentationBinding.parse(EXAMPLES['PresentationIssueV1']?.request);
    const withBody = Object.keys(EXAMPLES).filter((name) => EXAMPLES[name]?.request);
    expect(withBody).toEqual([
      'createPresentationRequest',
      'createCredentialOffer',
      'changeCredentialOffer',
      'changeCredentialStatus',
      'CredentialImportV1',
      'PresentationCreateV1',
      'PresentationUpdateV1',
      'PresentationIssueV1',
      'testCallbacks',
    ]);
  });
});
