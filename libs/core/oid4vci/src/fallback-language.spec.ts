import { loadCredentialTypes, missingFallbackLabels } from './index';

const label = (...locales: string[]) => locales.map((locale) => ({ locale, label: 'x' }));
const load = (display: object[], claims: object[]) =>
  loadCredentialTypes(
    [{ configurationId: 'card', bytes: Buffer.from(JSON.stringify({ vct: 'urn:example:card', display, claims })) }],
    'https://issuer.example',
  );
const named = (...locales: string[]) => locales.map((locale) => ({ locale, name: 'Card' }));

describe('18.15 the language that a type falls back to', () => {
  it('is that of the first entry, and claims with labels need one in it', () => {
    const types = load(named('de', 'en'), [
      { path: ['both'], display: label('en', 'de') },
      { path: ['region'], display: label('de-AT') },
      { path: ['english', null], display: label('en') },
      { path: ['none'] },
    ]);
    expect(missingFallbackLabels(types)).toEqual([
      { configurationId: 'card', locale: 'de', claims: ['["english",null]'] },
    ]);
  });

  it('is whole where every label has it, and there is none without a display', () => {
    expect(missingFallbackLabels(load(named('en-GB'), [{ path: ['a'], display: label('en', 'fr') }]))).toEqual([]);
    expect(missingFallbackLabels(load([], [{ path: ['a'], display: label('fr') }]))).toEqual([]);
  });
});
