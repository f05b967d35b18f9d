import { applyDecorators, Controller, Param } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PromptPipe } from '../http/prompt-pipes';
import { WalletApi } from './wallet-api';

/** A segment that may name an issuer identifier below that of the installation. Which ones there are, the issuer knows. */
export const ISSUER_NAME = /[a-z0-9][a-z0-9-]{0,62}/;

/** The parameter of a path that names an issuer identifier. */
export const ISSUER_PARAMETER = 'issuer';

/** Routes of every issuer identifier: that of the installation, and those below it. */
export const IssuerApi = (path: string) =>
  applyDecorators(
    WalletApi('issuer', { [ISSUER_PARAMETER]: ISSUER_NAME }),
    Controller([path, `:${ISSUER_PARAMETER}/${path}`]),
  );

/** For a question: which identifier it is for; nothing for that of the installation. */
export type OfIssuer = { readonly issuer?: string };

/** The issuer identifier that a request is for, of a route of {@link IssuerApi}. */
export function issuerIn({ params }: FastifyRequest): OfIssuer {
  const { [ISSUER_PARAMETER]: issuer } = params as Readonly<Record<string, string | undefined>>;
  return issuer === undefined ? {} : { issuer };
}

class IssuerPipe extends PromptPipe<string | undefined, OfIssuer> {
  transform(issuer: string | undefined): OfIssuer {
    return issuer === undefined ? {} : { issuer };
  }
}

/** The same, as a parameter. */
export const AtIssuer = () => Param(ISSUER_PARAMETER, IssuerPipe);
