import { findClockLibrary } from './replica-clock';

it('the library of clocks is the file that the environment names, if it exists, or where packages put it', () => {
  expect(findClockLibrary({ FAKETIME_LIBRARY: __filename })).toBe(__filename);
  expect(findClockLibrary({ FAKETIME_LIBRARY: `${__filename}.none` })).toBe(findClockLibrary({}));
});
