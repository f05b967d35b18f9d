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
    getCredentialOffer: credentialOfferView.strict(),
    changeCredentialOffer: credentialOfferView.strict(),
    changeCredentialStatus: credentialStatusChanged.strict(),
    createEntity: entityView.strict(),
    createWallet: walletView.strict(),
    getCredential: credentialView.strict(),
    listCredentials: z.array(credentialView.strict()),
    getPresentation: presentationView.strict(),
    importCredential: credentialView.strict(),
    createPresentation: presentationView.strict(),
    updatePresentation: presentationView.strict(),
    issuePresentation: presentationView.strict(),
    abandonPresentation: presentationView.strict(),
    presentPresentation: presentationView.strict(),
    listPresentations: z.array(presentationView.strict()),
    listCallbacks: z.array(undeliveredCallback.strict()),
    retryCallbacks: callbackRetry.strict(),
    retryCallback: callbackRetry.strict(),
    replayCallbacks: callbackReplay.strict(),
    replayCallback: callbackReplay.strict(),
    listCallbackKeys: z.array(callbackKeys.strict()),
    testCallbacks: z.array(callbackTest.strict()),
    isLive: z.strictObject({ live: z.literal(true) }),
    isReady: z.strictObject({ ready: z.boolean(), services: z.record(z.string(), readiness.strict()) }),
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
    credentialImport.parse(EXAMPLES['importCredential']?.request);
    presentationCreation.parse(EXAMPLES['createPresentation']?.request);
    presentationBinding.parse(EXAMPLES['issuePresentation']?.request);
    const withBody = Object.keys(EXAMPLES).filter((name) => EXAMPLES[name]?.request);
    expect(withBody).toEqual([
      'createPresentationRequest',
      'createCredentialOffer',
      'changeCredentialOffer',
      'changeCredentialStatus',
      'importCredential',
      'createPresentation',
      'updatePresentation',
      'issuePresentation',
      'testCallbacks',
    ]);
  });
});
