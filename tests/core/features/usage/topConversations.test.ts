import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { topConversations } from '../../../../src-main/core/features/usage/topConversations.ts'
import { migrations } from '../../../../src-main/core/store/migrations/index.ts'
import type { RowRange } from '../../../../src-main/core/store/requestLog/links.ts'
import { databaseFile, openStore } from '../../../../src-main/core/store/store.ts'
import { freshFolder } from '../../helpers/core.ts'

type Reply = {
  of: string
  at: string
  cost: string | null
  row: number | null
  tokens?: [number, number, number | null]
}

/** A folder as the previous version left it, with these replies. */
function formerVersion(replies: Reply[]): string {
  const folder = freshFolder()
  writeFileSync(databaseFile(folder), '')
  const handle = new DatabaseSync(databaseFile(folder))
  for (const sql of migrations.slice(0, 4)) handle.exec(sql)
  handle.exec(`PRAGMA application_id = ${0x49537475}; PRAGMA user_version = 4`)
  const conversation = handle.prepare(
    'INSERT INTO conversations (id, title, model, created_at, updated_at, removed_at) VALUES (?, ?, NULL, ?, ?, ?)',
  )
  const reply = handle.prepare(
    `INSERT INTO messages (id, conversation_id, role, status, created_at, cost, request_row, usage)
      VALUES (?, ?, 'assistant', 'complete', ?, ?, ?, ?)`,
  )
  const now = '2026-11-20T00:00:00.000Z'
  for (const id of new Set(replies.map(({ of }) => of))) {
    conversation.run(id, id === 'untitled' ? null : `About ${id}`, now, now, id === 'removed' ? now : null)
  }
  for (const [index, { of, at, cost, row, tokens = [10, 1, null] }] of replies.entries()) {
    const [promptTokens, completionTokens, cachedTokens] = tokens
    const usage = JSON.stringify({ promptTokens, completionTokens, totalTokens: null, cachedTokens })
    reply.run(`m${index}`, of, at, cost, row, usage)
  }
  handle.close()
  return folder
}

it('conversations are ordered by the exact cost of their own replies; replies in a copy count for the original', () => {
  const at = '2026-11-20T23:59:59.999Z'
  const folder = formerVersion([
    { of: 'cheap', at, cost: '0.000000001', row: 1 },
    { of: 'cheap', at, cost: null, row: 2 },
    { of: 'dear', at, cost: '12345.1', row: 3, tokens: [100, 20, 40] },
    { of: 'dear', at: '2026-11-20T00:00:00.000Z', cost: '0.2', row: 4 },
    { of: 'dear', at: '2026-11-21T00:00:00.000Z', cost: '9', row: 5 },
    { of: 'copy', at, cost: '12345.1', row: 3 },
    { of: 'untitled', at, cost: null, row: 6 },
    { of: 'imported', at, cost: '50', row: null },
    { of: 'removed', at, cost: '70', row: 7 },
    { of: 'whole', at, cost: '3', row: 8 },
  ])
  const store = openStore(folder)
  onTestFinished(() => store.close())
  const parts = { top: store.conversationCosts.top, rowRangesOf: () => [{ from: 0, before: null }] }
  const asked = { accountId: 'one', from: '2026-11-20', to: '2026-11-20', limit: 10 }
  const top = topConversations(parts, asked)
  expect(top.map(({ conversationId, title, total }) => [conversationId, title, total.cost, total.unpriced])).toEqual([
    ['dear', 'About dear', '12345.3', 0],
    ['whole', 'About whole', '3', 0],
    ['cheap', 'About cheap', '0.000000001', 1],
    ['untitled', null, null, 1],
  ])
  expect(top[0]?.total).toMatchObject({ requests: 2, tokensIn: 110, tokensOut: 21, tokensCached: 40, estimated: 2 })
  expect(topConversations(parts, { ...asked, to: '2026-11-21', limit: 1 })).toMatchObject([
    { conversationId: 'dear', total: { cost: '12354.3' } },
  ])
  expect(() => topConversations(parts, { ...asked, to: '2026-11-19' })).toThrow(
    expect.objectContaining({ kind: 'bad_input' }),
  )
})

it('the cost of a folder is the exact sum over its chats that are not deleted, each request once', () => {
  const at = '2026-11-20T12:00:00.000Z'
  const folder = formerVersion([
    { of: 'cheap', at, cost: '0.000000001', row: 1 },
    { of: 'cheap', at, cost: null, row: 2 },
    { of: 'dear', at, cost: '12345.1', row: 3 },
    { of: 'copy', at, cost: '12345.1', row: 3 },
    { of: 'imported', at, cost: '50', row: null },
    { of: 'removed', at, cost: '70', row: 7 },
    { of: 'elsewhere', at, cost: '3', row: 8 },
  ])
  const store = openStore(folder)
  onTestFinished(() => store.close())
  store.folders.insert({
    id: 'harbour',
    createdAt: at,
    name: 'Harbour',
    model: null,
    instructions: null,
    params: null,
    wholeTokens: 8000,
  })
  for (const id of ['cheap', 'dear', 'copy', 'imported', 'removed']) store.conversations.setFolder(id, 'harbour')
  expect(store.conversationCosts.ofFolder('harbour')).toEqual({
    requests: 3,
    cost: 12_345_100_000_001n,
    unpriced: 1,
  })
  expect(store.conversationCosts.ofFolder('unknown')).toEqual({ requests: 0, cost: 0n, unpriced: 0 })
})

it('only requests of the asked account count, also in a chat that was continued with another account', () => {
  const at = '2026-11-20T12:00:00.000Z'
  const folder = formerVersion([
    { of: 'shared', at, cost: '1', row: 1 },
    { of: 'shared', at, cost: '20', row: 2 },
    { of: 'shared', at, cost: '300', row: 3 },
    { of: 'other', at, cost: '50', row: 2 + 2 },
  ])
  const store = openStore(folder)
  onTestFinished(() => store.close())
  const rows: Record<string, RowRange[]> = {
    mine: [
      { from: 0, before: 2 },
      { from: 3, before: 4 },
    ],
    theirs: [
      { from: 2, before: 3 },
      { from: 4, before: null },
    ],
  }
  const parts = { top: store.conversationCosts.top, rowRangesOf: (account: string) => rows[account] ?? [] }
  const of = (accountId: string) =>
    topConversations(parts, { accountId, from: '2026-11-20', to: '2026-11-20', limit: 10 }).map(
      ({ conversationId, total }) => [conversationId, total.cost, total.requests],
    )
  expect(of('mine')).toEqual([['shared', '301', 2]])
  expect(of('theirs')).toEqual([
    ['other', '50', 1],
    ['shared', '20', 1],
  ])
  expect(of('unknown')).toEqual([])
})
