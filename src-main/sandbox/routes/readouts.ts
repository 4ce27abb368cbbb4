import { ServiceError } from '../errors.ts'
import { FAULT_MODEL_NAMES } from '../faults/plan.ts'
import type { Call } from '../http/call.ts'
import { type ApiKey, keyRecord } from '../world/accounts.ts'
import { modelList, recordedModels } from '../world/models.ts'

/** The GET endpoints. Each reports part of the state. */

export const models = (call: Call) => {
  const { replay } = call.world
  return call.reply.json(200, replay ? recordedModels(replay.models) : modelList(FAULT_MODEL_NAMES))
}

export const rateLimit = (call: Call) => call.reply.json(200, call.world.limits.status(call.key.account))

export const listKeys = (call: Call) =>
  call.reply.json(200, {
    api_keys: [...call.world.accounts.keys.values()].filter((key) => sameAccount(call, key)).map(keyRecord),
  })

export const currentKey = (call: Call) => call.reply.json(200, keyRecord(call.key))

export const keyUsage = (call: Call) => call.reply.json(200, call.world.accounting.keyTotals(keyOfPath(call)))

export const keyDailyUsage = (call: Call) =>
  call.reply.json(200, { usage: call.world.accounting.keyDaily(keyOfPath(call)) })

export const usage = (call: Call) => call.reply.json(200, call.world.accounting.accountUsage(call.key.account))

/** The received requests, for tests in another process. Not part of the service. */
export const seenRequests = (call: Call) => {
  const { records } = call.world
  return call.reply.json(200, { open_streams: records.openStreams(), requests: records.requests() })
}

const sameAccount = (call: Call, key: ApiKey) => key.account === call.key.account

/** Resolves `current` or the id of a key of the same account. A key of another account gets the same 404 as a missing one. */
function keyOfPath(call: Call): ApiKey {
  const { keyId } = call.parameters
  if (keyId === undefined || keyId === 'current') return call.key
  const found = [...call.world.accounts.keys.values()].find((key) => key.id === keyId.toLowerCase())
  if (found && sameAccount(call, found)) return found
  throw new ServiceError(404, 'key_not_found', 'There is no such key on this account.')
}
