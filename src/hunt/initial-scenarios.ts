import { documentedPlans } from '../petstore/document.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SearchSpace } from './mutate.js';

const { free } = documentedPlans;

/**
 * Returns the simple scenarios that the bug search of `hunt` tries first, simplest first. To simplify a failing
 * scenario, the search also tries these scenarios first.
 */
export function initialScenariosFor({ key, client }: SearchSpace): Scenario[] {
  const withKey = (fields: NonNullable<Scenario['keys']>[string]): Scenario => ({ keys: { [key]: fields } });
  const usedUp = withKey({ usage: { minute: free.minute } });
  const faulty = (...faults: NonNullable<Scenario['faults']>): Scenario => ({ faults });
  const writes = client.includes('operation') ? { client: { operation: 'createPet' } as const } : {};
  const many = client.includes('calls') ? { client: { calls: 20 } } : {};
  const several = client.includes('calls') ? { client: { calls: 10 } } : {};
  const parallel = client.includes('parallel') ? { client: { calls: 10, parallel: 10 } } : {};
  return [
    {},
    usedUp,
    withKey({ usage: { minute: free.minute - 1 } }),
    withKey({ usage: { day: free.day } }),
    withKey({ bannedFor: '1m' }),
    { ...withKey({ bannedFor: '1m' }), ban: { status: 403 } },
    withKey({ state: 'revoked' }),
    { ...usedUp, limits: { retryAfterForm: 'http-date' } },
    { ...usedUp, ...writes },
    { ...usedUp, ...parallel },
    // Scenario with delayed responses, for a client that makes concurrent calls. Some calls then send requests while
    // others wait for the end of a rate limit.
    ...(client.includes('parallel')
      ? [
          {
            ...withKey({ usage: { minute: free.minute - 2 } }),
            client: { calls: 10, parallel: 5 },
            ...faulty({ then: { delay: '3s' } }),
          },
        ]
      : []),
    { ...usedUp, ...several },
    { ...withKey({ usage: { minute: free.minute - 1 } }), ...several },
    // Refuses, or fails, each of many calls. A client that counts its retries over all calls then reaches its maximum.
    { plans: { free: { minute: 1 } }, ...many },
    {
      ...many,
      ...faulty({ when: { every: 2 }, then: { respond: { status: 503, headers: { 'Retry-After': '10' } } } }),
    },
    faulty({ then: { respond: { status: 503, headers: { 'Retry-After': '10' } }, failTimes: 2 } }),
    faulty({ then: { respond: { status: 429, headers: { 'Retry-After': '2' } }, countsQuota: false, failTimes: 5 } }),
    { ...writes, ...faulty({ when: { nth: 1 }, then: { reset: true, phase: 'after' } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { respond: { status: 500 }, phase: 'after' } }) },
    { ...writes, ...faulty({ when: { nth: 1 }, then: { delay: '40s', phase: 'after' } }) },
    faulty({ then: { respond: { status: 500 } } }),
    { ids: { start: '9007199254740993' }, ...writes },
    withKey({ bannedFor: '30d' }),
  ];
}
