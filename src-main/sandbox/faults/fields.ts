import type { FaultPlan } from './plan.ts'

/** Fields that `missing-fields` does not remove. Without them a reply would be empty. */
const KEPT = new Set([
  'data', // required on the model list
  'choices',
  'delta',
  'message',
  'content',
  'reasoning',
  'reasoning_content',
  'tool_calls',
  'function',
  'name',
  'arguments',
  'text',
  'api_keys',
  'usage',
  'key_prefix',
  'balance',
  'date',
  'requests',
  'url',
  'b64_json',
  'error',
  'limit_rpm',
])

/** Whether `missing-fields` leaves a field in place. `id` stays if it is required (a tool call) or the only essential field (a model). */
const keptIn = (object: Record<string, unknown>, key: string) =>
  KEPT.has(key) || (key === 'id' && ('function' in object || object.object === 'model'))

/** Applies `missing-fields` and `extra-fields` to a JSON reply or a chunk. */
export function withFieldFaults(value: unknown, plan: FaultPlan): unknown {
  const missing = plan.has('missing-fields')
  const extra = plan.has('extra-fields')
  return missing || extra ? walk(value, missing, extra) : value
}

function walk(value: unknown, missing: boolean, extra: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, missing, extra))
  if (typeof value !== 'object' || value === null) return value
  const object: Record<string, unknown> = { ...value }
  const result: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(object)) {
    if (!missing || keptIn(object, key)) result[key] = walk(item, missing, extra)
  }
  if (extra) result['x-extra'] = { unknown: true, list: [1, 'two', null], text: 'not in the specification' }
  return result
}
