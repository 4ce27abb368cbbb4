/**
 * When what was changed, so that two computers can be kept in step by a folder. `sync_marks` has one row per changed field: the newest
 * change wins. `at` is ms since 1970, and always later than the former mark, whatever the clock says. `value` is an id or a flag, and only
 * where the row itself may differ: `folder` (the chosen folder, which may not exist here), `leaf`, `removed` and `deleted` (1 or null).
 * It never has content, because marks of deleted items stay: otherwise another computer's file would bring the items back. `parent` is
 * the conversation of a deleted message.
 *
 * `expired`: the conversation was deleted by age, which is a setting of this computer only.
 *
 * Triggers write the marks, so that no writer can forget them. While `sync_merging` has a row, within the transaction of a merge, they
 * do not.
 */
const now = "CAST(round(unixepoch('now', 'subsec') * 1000) AS INTEGER)"
const ms = (column: string): string => `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)`
const mark = (
  what: string,
  item: string,
  field: string,
  value = 'NULL',
  { parent = 'NULL', above = '0' } = {},
): string => `INSERT INTO sync_marks (what, item, field, at, value, parent)
    VALUES ('${what}', ${item}, '${field}', max(${now}, ${above}), ${value}, ${parent})
    ON CONFLICT (what, item, field) DO UPDATE SET at = max(excluded.at, sync_marks.at + 1), value = excluded.value,
      parent = excluded.parent;`
const local = 'NOT EXISTS (SELECT 1 FROM sync_merging)'

const conversationField = (field: string, columns: string, value?: string): string => {
  const changed = columns.split(', ').map((column) => `new.${column} IS NOT old.${column}`)
  return `CREATE TRIGGER sync_conversation_${field} AFTER UPDATE OF ${columns} ON conversations
  WHEN (${changed.join(' OR ')}) AND new.part_of IS NULL AND ${local} BEGIN
  ${mark('conversation', 'new.id', field, value, field === 'removed' ? { above: `${ms('new.updated_at')} + 1` } : {})}
END;`
}

const namedItem = (table: string, what: string): string => `
CREATE TRIGGER sync_${what}_changed AFTER UPDATE ON ${table} WHEN ${local} BEGIN ${mark(what, 'new.id', 'deleted')} END;
CREATE TRIGGER sync_${what}_deleted AFTER DELETE ON ${table} WHEN ${local} BEGIN ${mark(what, 'old.id', 'deleted', "'1'")} END;
CREATE TRIGGER sync_${what}_added AFTER INSERT ON ${table}
  WHEN ${local} AND EXISTS (SELECT 1 FROM sync_marks WHERE what = '${what}' AND item = new.id AND field = 'deleted') BEGIN
  ${mark(what, 'new.id', 'deleted')}
END;`

export const sql = `
CREATE TABLE sync_marks (
  what    TEXT NOT NULL CHECK (what IN ('conversation', 'message', 'folder', 'prompt', 'preset')),
  item    TEXT NOT NULL,
  field   TEXT NOT NULL,
  at      INTEGER NOT NULL,
  value   TEXT,
  parent  TEXT,
  PRIMARY KEY (what, item, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_marks_by_parent ON sync_marks (parent) WHERE parent IS NOT NULL;
CREATE INDEX conversations_by_part ON conversations (part_of) WHERE part_of IS NOT NULL;

CREATE TABLE sync_state (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE sync_merging (one INTEGER PRIMARY KEY CHECK (one = 1)) STRICT;

${conversationField('title', 'title, named')}
${conversationField('model', 'model')}
${conversationField('setup', 'setup')}
${conversationField('pinned', 'pinned')}
${conversationField('archived', 'archived_at')}
${conversationField('folder', 'folder_id', 'new.folder_id')}
${conversationField('leaf', 'leaf_id', 'new.leaf_id')}
${conversationField('removed', 'removed_at', "CASE WHEN new.removed_at IS NULL THEN NULL ELSE '1' END")}

CREATE TRIGGER sync_conversation_gone AFTER DELETE ON conversations BEGIN
  DELETE FROM sync_marks WHERE what = 'conversation' AND item = old.id AND field NOT IN ('removed', 'expired');
  DELETE FROM sync_marks WHERE parent = old.id;
END;
CREATE TRIGGER sync_conversation_expired AFTER INSERT ON erasures
  WHEN new.what = 'conversation' AND EXISTS (SELECT 1 FROM conversations WHERE id = new.item AND removed_at IS NULL) BEGIN
  ${mark('conversation', 'new.item', 'expired')}
END;

CREATE TRIGGER sync_message_place AFTER UPDATE OF conversation_id ON messages
  WHEN new.conversation_id IS NOT old.conversation_id AND ${local} BEGIN
  ${mark(
    'message',
    'new.id',
    'deleted',
    "CASE WHEN (SELECT part_of FROM conversations WHERE id = old.conversation_id) IS NULL THEN '1' END",
    {
      parent:
        'CASE WHEN (SELECT part_of FROM conversations WHERE id = old.conversation_id) IS NULL THEN old.conversation_id ELSE new.conversation_id END',
    },
  )}
END;
${namedItem('folders', 'folder')}
${namedItem('prompts', 'prompt')}
${namedItem('presets', 'preset')}
`
