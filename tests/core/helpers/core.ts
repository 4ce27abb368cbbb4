import { StudioError } from '../../../src-main/core/errors.ts'
import type { Host, SecretStore } from '../../../src-main/core/host.ts'
import { forkNode } from '../../../src-main/hosts/node/forkNode.ts'
import type { ConversationEvent, Message } from '../../../src-preload/contract/chat.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

export const freshFolder = (): string => temporaryFolder('studio-core-')

/** A keychain in memory. `state` decides whether it is available. */
export function memorySecrets(
  state: 'open' | 'missing' | 'locked' = 'open',
): SecretStore & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  const guard = (): void => {
    if (state === 'missing') throw new StudioError('keychain_missing', 'No keychain answers.')
    if (state === 'locked') throw new StudioError('keychain_locked', 'The keychain is locked.')
  }
  return {
    kept,
    async probe() {
      return { available: state === 'open', reason: state === 'open' ? null : `The keychain is ${state}.` }
    },
    async get(account) {
      guard()
      return kept.get(account) ?? null
    },
    async set(account, secret) {
      guard()
      kept.set(account, secret)
    },
    async delete(account) {
      guard()
      kept.delete(account)
    },
  }
}

export function testHost(dataDir: string, secrets: SecretStore = memorySecrets()) {
  const lines: string[] = []
  const opened: string[] = []
  const host: Host = {
    name: 'web',
    version: '0.0.0-test',
    dataDir,
    secrets,
    async openExternal(url) {
      opened.push(url)
    },
    reveal: async () => false,
    dragOut: null,
    fork: forkNode,
    restart: null,
    notify: null,
    log(level, line) {
      lines.push(`${level} ${line}`)
    },
  }
  return { host, lines, opened }
}

/** Applies an event of `chat.watch` like a page. Throws if a delta is missing or repeated. */
export function reduce(messages: Message[], event: ConversationEvent): Message[] {
  if (event.type === 'snapshot') return event.messages
  if (event.type === 'earlier') return [...event.messages, ...messages]
  if (event.type === 'path') return [...messages.slice(0, event.unchanged), ...event.messages]
  if (event.type === 'message') return messages.map((one) => (one.id === event.message.id ? event.message : one))
  if (event.type !== 'delta') return messages
  return messages.map((one) => {
    if (one.id !== event.messageId) return one
    if (one[event.field].length !== event.at) {
      throw new Error(`${event.field} has ${one[event.field].length} units, the delta is for ${event.at}`)
    }
    return { ...one, [event.field]: one[event.field] + event.append }
  })
}

/** Reads events until the last message satisfies `enough`. */
export async function readUntil(
  events: AsyncIterator<ConversationEvent>,
  enough: (last: Message) => boolean,
): Promise<Message[]> {
  let messages: Message[] = []
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error('The events ended before what was waited for.')
    messages = reduce(messages, value)
    const last = messages.at(-1)
    if (last && enough(last)) return messages
  }
}

export const ended = (message: Message): boolean => message.finishedAt !== null
