/** Ids that clients of the Messages API accept. */
const accepted = /^[a-zA-Z0-9_-]+$/
const prefix = 'toolu_b64_'

/**
 * The id of a tool call as clients of the Messages API accept it. An id with other characters is encoded as base64url, so that
 * `serviceToolId` can restore it when the client sends it back.
 */
export function clientToolId(id: string): string {
  // An id that already has the prefix is encoded too. Otherwise the way back would decode it.
  if (accepted.test(id) && !id.startsWith(prefix)) return id
  return prefix + Buffer.from(id, 'utf16le').toString('base64url')
}

/** The service's id of a tool call that a client sends. */
export function serviceToolId(id: string): string {
  if (!id.startsWith(prefix)) return id
  const decoded = Buffer.from(id.slice(prefix.length), 'base64url').toString('utf16le')
  // Other ids may have the prefix by chance.
  return decoded !== '' && clientToolId(decoded) === id ? decoded : id
}

/**
 * The id of a tool call that the service sent without one, or with the id of another call.
 * @param position of the call in the message; empty for the prefix of all such ids
 */
export function derivedToolId(messageId: string, position: number | ''): string {
  return `toolu_${messageId.replace(/^msg_/, '').replace(/[^a-zA-Z0-9_-]/g, '_')}_${position}`
}
