import * as z from 'zod'
import { type MakingCost, type MakingState, makingState } from '../../../src-preload/contract/createdItems.ts'
import { type Problem, problem } from '../../../src-preload/contract/problem.ts'
import { certainty } from '../../../src-preload/contract/requests.ts'
import { json, jsonOrNull, type Row, text, textOrNull } from './rows.ts'

const requestRows = z.array(z.number().int())

/** The columns that speeches, transcripts and drawings share. */
export const readCreatedItem = (
  row: Row,
): { id: string; createdAt: string; state: MakingState; problem: Problem | null } => ({
  id: text(row, 'id'),
  createdAt: text(row, 'created_at'),
  state: makingState.parse(row.state),
  problem: jsonOrNull(row, 'problem', problem),
})

/** The name of the app that made an item, as a member. */
export const readMadeBy = (row: Row): { app?: string } => {
  const app = textOrNull(row, 'app')
  return app === null ? {} : { app }
}

/** The rows of the request log for the requests of an item. */
export const readRequestRows = (row: Row): number[] => json(row, 'request_rows', requestRows)

/** The cost columns of an item. */
export const readMakingCost = (row: Row): MakingCost => ({
  cost: textOrNull(row, 'cost'),
  costIs: certainty.parse(row.cost_is),
  rows: readRequestRows(row),
})
