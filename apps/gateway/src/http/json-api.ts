import { applyDecorators, UseFilters } from '@nestjs/common';
import { ParsesBodies } from './body-parsing';
import { JSON_BODIES } from './json-bodies';
import { ProblemDetailsFilter } from './problem-details.filter';

/** A controller for backends: strict JSON in, problem details for errors. */
export const JsonApi = () => applyDecorators(ParsesBodies(JSON_BODIES), UseFilters(ProblemDetailsFilter));
