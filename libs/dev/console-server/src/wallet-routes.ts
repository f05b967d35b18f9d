import { randomUUID } from 'node:crypto';
import {
  createWalletBox,
  hasAll,
  ISSUANCE_CASES,
  PRESENTATION_CASES,
  signStatusList,
  UnknownCaseError,
  type IssuerIdentity,
  type WalletReport,
} from '@vestibule/wallet-box';
import { RouteFault } from './answer';

const SLOW_MILLISECONDS = 3_000;
const KEPT_LISTS = 100;

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** A case as the page offers it. */
interface OfferedCase {
  readonly name: string;
  readonly about: string;
  readonly expected: string;
}

const offered = ({ name, about, expected }: OfferedCase): OfferedCase => ({ name, about, expected });

/** The wallet in a box of this console, with status lists of its own. @param origin where verifiers fetch these lists */
export function createWalletRoutes(issuer: IssuerIdentity | undefined, origin: () => string) {
  const lists = new Map<string, string>();
  const around = {
    ...(issuer ? { issuer } : {}),
    now: () => new Date(),
    wait: pause,
    slowMilliseconds: SLOW_MILLISECONDS,
    ...(issuer
      ? {
          publishStatus: (status: 'revoked' | 'suspended') => {
            const name = randomUUID();
            const uri = `${origin()}/status/${name}`;
            lists.set(name, signStatusList(issuer, uri, status, new Date()));
            for (const [oldest] of [...lists].slice(0, -KEPT_LISTS)) lists.delete(oldest);
            return Promise.resolve({ uri, idx: 0 });
          },
        }
      : {}),
  };
  const box = createWalletBox(around);
  const run = async (action: () => Promise<WalletReport>): Promise<WalletReport> => {
    try {
      return await action();
    } catch (error) {
      if (error instanceof UnknownCaseError) throw new RouteFault(400, error.message);
      throw error;
    }
  };
  const isPlayable = ({ needs }: { readonly needs: readonly ('issuer' | 'publishStatus')[] }) =>
    hasAll({ ...around, wallet: box.wallet }, needs);
  return {
    cases: { present: PRESENTATION_CASES.filter(isPlayable).map(offered), redeem: ISSUANCE_CASES.map(offered) },
    present: (name: string, uri: string) => run(() => box.present(name, uri)),
    redeem: (name: string, uri: string, txCode: string | undefined) => run(() => box.redeem(name, uri, txCode)),
    /** What it holds, newest first, with claims: they are invented or typed in by the developer. */
    credentials: () =>
      [...box.wallet.credentials()].reverse().map(({ id, vct, configurationId, claims }) => ({
        id,
        vct,
        ...(configurationId === undefined ? {} : { configurationId }),
        claims,
      })),
    /** A status list by its name. */
    findList: (name: string): string | undefined => lists.get(name),
  };
}

export type WalletRoutes = ReturnType<typeof createWalletRoutes>;
