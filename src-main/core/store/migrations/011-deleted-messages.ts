/**
 * A deleted message moves, with all messages below it, to a removed conversation of its own. It can therefore be restored for as long as
 * deleted conversations can, and search, export and counts need no special case. `part_of` is the conversation that the message comes from.
 * `part_parent` is the message above it, null for a first message.
 */
export const sql = `
ALTER TABLE conversations ADD COLUMN part_of TEXT;
ALTER TABLE conversations ADD COLUMN part_parent TEXT;
`
