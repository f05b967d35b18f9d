import { signAwsRequest } from './sigv4';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const request = {
  method: 'GET',
  url: new URL('https://example.amazonaws.com/'),
  headers: {},
  body: '',
  region: 'us-east-1',
  service: 'service',
  now: new Date('2015-08-30T12:36:00Z'),
};

describe('AWS Signature Version 4', () => {
  it('is that of the published example get-vanilla', () => {
    expect(signAwsRequest(request, CREDENTIALS)).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    });
  });

  it('covers the token of temporary credentials, the body and every header', () => {
    const signatureOf = (changes: object, sessionToken?: string) =>
      signAwsRequest({ ...request, ...changes }, { ...CREDENTIALS, sessionToken })['authorization'];
    const all = [
      signatureOf({}),
      signatureOf({}, 'token'),
      signatureOf({ body: '{}' }),
      signatureOf({ headers: { 'x-amz-target': 'TrentService.Sign' } }),
      signatureOf({ url: new URL('https://other.amazonaws.com/') }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
