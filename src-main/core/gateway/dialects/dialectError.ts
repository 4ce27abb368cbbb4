import { StudioError } from '../../errors.ts'
import type { DialectProblem } from './types.ts'

/** A request that can't be translated: `bad_input`, status 400, with the field and the reason. */
export class DialectError extends StudioError {
  readonly problem: DialectProblem

  /**
   * @param param path of the field in the request, such as `input[3].type`
   * @param message one or two sentences: what is not supported and why, or what to send instead
   */
  constructor(param: string, message: string) {
    super('bad_input', message)
    this.problem = { status: 400, message, type: 'invalid_request_error', code: 'not_translatable', param }
  }
}
