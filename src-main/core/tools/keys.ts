import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Tool } from '../../../src-preload/contract/tools.ts'
import { StudioError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import { plainTool } from './settings.ts'

/** `isk_ID_SECRET`: the id finds the row, 32 random bytes prove it. Fixed widths, since base64url may hold `_` itself. */
const format = /^isk_([a-z0-9]{8,32})_([A-Za-z0-9_-]{43})$/
/** Compared with where an id is not known, so that this costs the same work as a wrong secret. */
const nobody = randomBytes(32)

const digest = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')

/** Makes a key for one tool. `key` is shown to whoever asked, once; the database keeps SHA-256 of the secret. */
export function addTool({ toolKeys }: Store, name: string): { tool: Tool; key: string } {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > 80)
    throw new StudioError('bad_input', 'Give the tool a name of at most 80 characters.')
  const id = randomBytes(5).toString('hex')
  const secret = randomBytes(32).toString('base64url')
  const now = new Date().toISOString()
  const tool = plainTool({ id, name: trimmed, createdAt: now })
  toolKeys.insert(tool, digest(secret))
  return { tool, key: `isk_${id}_${secret}` }
}

/** Ends a key at once; revoking it again changes nothing. @throws StudioError `no_such_item` */
export function revokeTool({ toolKeys }: Store, id: string): Tool {
  toolKeys.revoke(id, new Date().toISOString())
  const found = toolKeys.find(id)
  if (!found) throw new StudioError('no_such_item', 'There is no tool key with this id.')
  return found.tool
}

/** The tool that a presented key belongs to; null for anything else, a revoked key too. A few microseconds: it stands before every request. */
export function verifyToolKey({ toolKeys }: Store, presented: string): Tool | null {
  const parts = format.exec(presented)
  const found = toolKeys.find(parts?.[1] ?? '')
  const same = timingSafeEqual(digest(parts?.[2] ?? ''), found?.hash ?? nobody)
  if (!same || !found || found.tool.revokedAt !== null) return null
  return found.tool
}
