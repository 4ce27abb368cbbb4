import { StudioError } from '../../errors.ts'
import type { DialectProblem, JsonObject } from './types.ts'

/** A request that can't be translated: `bad_input`, status 400, with the field and the reason. */
export class DialectError extends StudioError {
  readonly problem: DialectProblem

  /**
   * @param param path of the field in the request, such as `input[3].type`. Null when the whole body is wrong
   * @param message one or two sentences: what is not supported and why, or what to send instead
   * @param code `error.code` of the reply
   * @param details as in `DialectProblem`
   */
  constructor(param: string | null, message: string, code = 'not_translatable', details?: JsonObject) {
    // Both may contain the name of a field, which may be as long as the request.
    const [shortMessage, shortParam] = [shortened(message, maxMessage), param && shortened(param, maxParam)]
    super('bad_input', shortMessage)
    this.problem = { status: 400, message: shortMessage, type: 'invalid_request_error', code, param: shortParam }
    if (details !== undefined) this.problem.details = details
  }
}

const maxMessage = 1000
const maxParam = 300

const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
