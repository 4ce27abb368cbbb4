import type { Database } from './database.ts'
import { type Row, text } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A permission that a person gave: for one form of one tool, in one conversation or (null) in all. */
export interface ToolPermission {
  toolId: string
  conversationId: string | null
  /** Hash of the form of the tool that was allowed. When the tool changes, the permission no longer applies. */
  fingerprint: string
}

export function toolPermissionTable({ handle }: Database) {
  const sql = prepareAll(handle, {
    one: "SELECT fingerprint FROM tool_permissions WHERE tool_id = :toolId AND coalesce(conversation_id, '') = :conversationId",
    always: 'SELECT * FROM tool_permissions WHERE conversation_id IS NULL ORDER BY allowed_at',
    forget: 'DELETE FROM tool_permissions WHERE tool_id = ?',
    forgetAll: 'DELETE FROM tool_permissions WHERE substr(tool_id, 1, length(:prefix)) = :prefix',
    allow: `INSERT INTO tool_permissions (tool_id, conversation_id, fingerprint, allowed_at)
     VALUES (:toolId, :conversationId, :fingerprint, :now)
     ON CONFLICT (tool_id, coalesce(conversation_id, '')) DO UPDATE SET fingerprint = :fingerprint, allowed_at = :now`,
  })

  return {
    /** The form that is allowed in this conversation, or with null in all; null when none is. */
    allowed(toolId: string, conversationId: string | null): string | null {
      const row = sql.one.get({ toolId, conversationId: conversationId ?? '' })
      return row ? text(row, 'fingerprint') : null
    },
    /** Permissions for all conversations. */
    always: (): ToolPermission[] => sql.always.all().map(read),
    allow({ toolId, conversationId, fingerprint }: ToolPermission): void {
      sql.allow.run({ toolId, conversationId, fingerprint, now: new Date().toISOString() })
    },
    /** Deletes the tool's permissions, also those for single conversations. */
    forget: (toolId: string): void => void sql.forget.run(toolId),
    forgetStartingWith: (prefix: string): void => void sql.forgetAll.run({ prefix }),
  }
}

function read(row: Row): ToolPermission {
  return { toolId: text(row, 'tool_id'), conversationId: null, fingerprint: text(row, 'fingerprint') }
}
