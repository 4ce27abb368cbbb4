/**
 * `oauth_issuer`: authorization server whose client and tokens are in the keychain for this server. Null: the keychain has none, and is not
 * asked. Never a token or a client secret.
 */
export const sql = `
ALTER TABLE mcp_servers ADD COLUMN oauth_issuer TEXT;
`
