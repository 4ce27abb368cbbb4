/** What conversations cost, without their texts: the index holds all that the sums read. */
export const sql = `
CREATE INDEX messages_by_cost ON messages (created_at, request_row, conversation_id, cost, usage) WHERE request_row IS NOT NULL;
`
