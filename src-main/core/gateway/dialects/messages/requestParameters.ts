import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ChatRequest } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import type { JsonObject } from '../types.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'

/** Fields that `translate` reads. */
const translated = new Set([
  'model',
  'messages',
  'system',
  'stream',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'output_config',
  'output_format',
  'thinking',
  'compaction',
  'thread',
  'mcp_servers',
])
const outputConfigKeys = new Set(['effort', 'format'])
const formatKeys = new Set(['type', 'schema'])
const thinkingKeys = new Set(['type', 'budget_tokens'])

/** Largest `thinking.budget_tokens` of an effort. Above the last, the effort is high. */
const lowBudget = 4_096
const mediumBudget = 16_384

/**
 * Translates every top-level field except the model, the messages and the tools.
 * @throws DialectError for a value of the wrong type, and for fields that need state on the server
 */
export function applyParameters(body: Fields, chat: ChatRequest, ignored: IgnoredMessagesFields): void {
  refuseServerState(body)
  ignored.addUnknown(body, translated, '')
  const maxTokens = numberAt(body, 'max_tokens')
  if (maxTokens !== null) {
    if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
      throw new DialectError(
        'max_tokens',
        'Must be a whole number of at least 1. The service has no prompt cache to fill.',
      )
    }
    chat.max_tokens = maxTokens
  }
  for (const key of ['temperature', 'top_p', 'top_k'] as const) {
    const value = numberAt(body, key)
    if (value !== null) chat[key] = value
  }
  const stops = stopsOf(body.stop_sequences)
  if (stops.length > 0) chat.stop = stops
  applyOutput(body, chat, ignored)
  applyThinking(body.thinking, chat, ignored)
  for (const server of mcpServers(body.mcp_servers)) ignored.add(`mcp_servers.${server}`)
}

/** Whether the client turned thinking off. Reasoning of the model is then left out of the reply. */
export function isThinkingOff(body: Fields): boolean {
  return isFields(body.thinking) && body.thinking.type === 'disabled'
}

function refuseServerState({ compaction, thread }: Fields): void {
  if (compaction !== undefined && compaction !== null) {
    throw new DialectError(
      'compaction',
      'The service has no compaction. Ask the model for a summary in a message instead.',
    )
  }
  if (thread !== undefined && thread !== null) {
    // With these details the official SDK goes on without a thread, by itself.
    throw new DialectError(
      'thread',
      'Messages are not stored here. Send all messages of the conversation.',
      'thread_unsupported_request',
      { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    )
  }
}

function numberAt(body: Fields, key: string): number | null {
  const value = body[key] ?? null
  if (value !== null && (typeof value !== 'number' || !Number.isFinite(value))) {
    throw new DialectError(key, 'Must be a number.')
  }
  return value
}

function stopsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new DialectError('stop_sequences', 'Must be an array of strings.')
  return value.map((stop: unknown, index) => {
    if (typeof stop !== 'string') throw new DialectError(`stop_sequences[${index}]`, 'Must be a string.')
    return stop
  })
}

function applyOutput(body: Fields, chat: ChatRequest, ignored: IgnoredMessagesFields): void {
  const config = body.output_config ?? null
  if (config !== null && !isFields(config)) throw new DialectError('output_config', 'Must be an object.')
  if (config !== null) {
    ignored.addUnknown(config, outputConfigKeys, 'output_config.')
    const effort = config.effort ?? null
    if (effort !== null) chat.reasoning_effort = effortOf(effort, ignored)
  }
  const newer = config?.format ?? null
  const older = body.output_format ?? null
  if (newer !== null) chat.response_format = formatOf(newer, 'output_config.format', ignored)
  else if (older !== null) chat.response_format = formatOf(older, 'output_format', ignored)
  if (newer !== null && older !== null) ignored.add('output_format')
}

/** Chat completions have no common effort above `high`, and services refuse names that they do not know. */
function effortOf(effort: unknown, ignored: IgnoredMessagesFields): string {
  if (effort === 'low' || effort === 'medium' || effort === 'high') return effort
  if (effort === 'xhigh' || effort === 'max') {
    ignored.add(`output_config.effort.${effort}`)
    return 'high'
  }
  throw new DialectError('output_config.effort', 'Must be low, medium, high, xhigh or max.')
}

function formatOf(format: unknown, path: string, ignored: IgnoredMessagesFields): JsonObject {
  if (!isFields(format)) throw new DialectError(path, 'Must be an object.')
  if (format.type !== 'json_schema') throw new DialectError(`${path}.type`, 'Must be json_schema.')
  if (!isFields(format.schema)) throw new DialectError(`${path}.schema`, 'Must be a JSON schema object.')
  ignored.addUnknown(format, formatKeys, `${path}.`)
  return { type: 'json_schema', json_schema: { name: 'output', schema: format.schema, strict: true } }
}

function applyThinking(thinking: unknown, chat: ChatRequest, ignored: IgnoredMessagesFields): void {
  if (thinking === undefined || thinking === null) return
  if (!isFields(thinking)) throw new DialectError('thinking', 'Must be an object.')
  ignored.addUnknown(thinking, thinkingKeys, 'thinking.')
  switch (thinking.type) {
    case 'enabled': {
      const budget = numberAt(thinking, 'budget_tokens')
      if (budget === null) throw new DialectError('thinking.budget_tokens', 'Must be a number.')
      // An explicit effort says more than a budget.
      if (chat.reasoning_effort === undefined) {
        chat.reasoning_effort = budget <= lowBudget ? 'low' : budget <= mediumBudget ? 'medium' : 'high'
      } else ignored.add('thinking.budget_tokens')
      return
    }
    case 'adaptive':
    case 'disabled':
    case 'between_tools':
      ignored.add(`thinking.${thinking.type}`)
      return
    default:
      throw new DialectError('thinking.type', 'Must be enabled, adaptive, between_tools or disabled.')
  }
}

function mcpServers(value: unknown): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new DialectError('mcp_servers', 'Must be an array.')
  return value.map((server: unknown) => (isFields(server) && typeof server.name === 'string' ? server.name : 'unnamed'))
}
