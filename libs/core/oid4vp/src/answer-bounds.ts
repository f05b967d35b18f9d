/** JSON values that the credentials of one answer may hold altogether: about 80 ms of work from here to the event. */
export const MAX_VALUES_OF_ANSWER = 50_000;
