/** Defaults of new chats in a folder. Null: the default of all chats. */
export const sql = `
ALTER TABLE folders ADD COLUMN model TEXT;
ALTER TABLE folders ADD COLUMN instructions TEXT;
`
