import { crossDeviceResult, sameDeviceResult, type FulfilledEvent, type PresentedCredentialsEvent } from './index';

const STATE = 'awF3Y1up_MdPKYFDzfcnroWWmINtlPSL';
const CODE = '_w0ih9qhgqIu9VjNilOE-NuV68RPT05bicP47DNjeVk';
const ACROSS: FulfilledEvent = { status: 'FULFILLED', state: STATE, credentials: {} };
const HERE: FulfilledEvent = { ...ACROSS, responseCode: CODE };
const OTHERS: readonly PresentedCredentialsEvent[] = [
  { status: 'EXPIRED', state: STATE },
  { status: 'REJECTED', state: STATE, errorDetails: 'access_denied' },
  { status: 'VERIFICATION_FAILED', state: STATE, errorDetails: 'expired: x' },
  { status: 'PROCESSING_ERROR', state: STATE, errorDetails: 'internal_error: x' },
];

describe('17.11 VP:P4 sameDeviceResult', () => {
  it('is the event whose own code the browser brings', () => {
    expect(sameDeviceResult(HERE, CODE)).toBe(HERE);
  });

  it.each<[string, unknown]>([
    ['another code', `${CODE.slice(0, -1)}l`],
    ['the beginning of the code', CODE.slice(0, -1)],
    ['more than the code', `${CODE}x`],
    ['an empty code', ''],
    ['no code', undefined],
    ['null', null],
    ['the code twice, as frameworks read a repeated parameter', [CODE, CODE]],
    ['an object that says it is the code', { toString: () => CODE }],
  ])('is nothing for %s', (_what, code) => {
    expect(sameDeviceResult(HERE, code)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['no code', undefined],
    ['what programs make of no code', 'undefined'],
    ['an empty code', ''],
    ['any code', CODE],
  ])('VP:P7 is nothing for a presentation by the other link, with %s', (_what, code) => {
    expect(sameDeviceResult(ACROSS, code)).toBeUndefined();
    expect(sameDeviceResult({ ...ACROSS, responseCode: '' }, code)).toBeUndefined();
  });

  it.each([undefined, ...OTHERS])('is nothing while there is no presentation: %j', (event) => {
    expect(sameDeviceResult(event, CODE)).toBeUndefined();
    // Not even if it came with a code, which no other status has.
    expect(sameDeviceResult(event && ({ ...event, responseCode: CODE } as never), CODE)).toBeUndefined();
  });
});

describe('17.11 crossDeviceResult', () => {
  it('is the event of a presentation on another device alone', () => {
    expect(crossDeviceResult(ACROSS)).toBe(ACROSS);
    expect([undefined, HERE, { ...ACROSS, responseCode: '' }, ...OTHERS].map(crossDeviceResult)).toEqual(
      Array<undefined>(7).fill(undefined),
    );
  });
});
