import type { IncomingMessage } from 'node:http'
import { dialectOf } from '../dialects/routes.ts'
import type { AppReply } from './appReply.ts'
import { type Refusal, sendRefusal } from './errorReplies.ts'
import type { AllowedRequest, CutReason } from './proxiedRequest.ts'
import type { RelayDependencies } from './relayDependencies.ts'

/**
 * Redirects are refused, because a client that follows a redirect would send the prompt to an unconfigured address. The specification has
 * no redirects.
 */
export const redirected: Refusal = {
  status: 502,
  type: 'studio_upstream',
  code: 'redirected',
  message: 'The service replied with a redirect, which is not followed. Check the base URL in Settings.',
}

export const notConnected: Refusal = {
  status: 503,
  type: 'studio_unavailable',
  code: 'not_connected',
  message: 'Inference Studio is not connected to a service. Connect it in Settings.',
}

export const stoppedByPerson: Refusal = {
  status: 503,
  type: 'studio_refused',
  code: 'stopped',
  message: 'This request was stopped in Inference Studio.',
}

export const addressNamesModel: Refusal = {
  status: 403,
  type: 'studio_limit',
  code: 'model_not_allowed',
  message:
    'This app may use certain models only, and the path or the query of this request names another one. Name the model in the body.',
}

/** @param field a member of the body that may select a model besides `model` */
export const fieldSelectsModel = (field: string): Refusal => ({
  status: 403,
  type: 'studio_limit',
  code: 'model_not_allowed',
  message: `This app may use certain models only, and the field ${field} of this request can select another one. Leave it out, or name only allowed models in it.`,
})

/** What the log says of a request that this server ended. */
export const cutMessages: Record<CutReason, string> = {
  upload_stalled: 'No more of the upload arrived.',
  reading_stalled: 'The app did not read the reply for too long.',
  malformed_body: 'The body could not be read.',
  key_ended: 'The app key was paused or revoked, or it expired.',
  closing: 'The local API was switched off or moved to another port.',
}

/** Refuses a request before anything was sent, and records the refusal. */
export function refuse(
  deps: Pick<RelayDependencies, 'requestLog'>,
  request: IncomingMessage,
  response: AppReply,
  allowed: AllowedRequest,
  refusal: Refusal,
  model: string | null = null,
): void {
  noteRefused(deps, request, allowed, refusal, { model })
  sendRefusal(response, refusal, allowed.extraHeaders)
}

/** Records a refusal. @param about `answer`: a person was asked, and refused */
export function noteRefused(
  { requestLog }: Pick<RelayDependencies, 'requestLog'>,
  { method = 'GET' }: IncomingMessage,
  allowed: AllowedRequest,
  refusal: Refusal,
  about: { model: string | null; answer?: 'refuse' },
): void {
  const { app, path } = allowed
  allowed.refused = true
  const { status, code, message } = refusal
  requestLog.refused({
    appId: app.id,
    from: app.name,
    method,
    path: path.split('?', 1)[0] ?? path,
    dialect: dialectOf(method, path),
    status,
    code,
    message,
    ...about,
  })
}
