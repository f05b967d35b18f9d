import { applyDecorators, UseGuards } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { Needs } from '../http/scopes';
import { JsonApi } from '../http/json-api';
import { ApiKeyGuard } from './api-key.guard';

/** A controller whose routes belong to tenants: it requires `X-API-KEY`, and its API description says so. */
export const TenantApi = () =>
  applyDecorators(JsonApi(), Needs('content'), UseGuards(ApiKeyGuard), ApiSecurity('apiKey'));
