import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { detailsOf, messageBeside, serviceMessage } from '../errors/details.ts'
import { explain } from './form.ts'

/** Why a connection failed, as an explanation for the field to correct, with the service's own message. */
export function ConnectProblem({ problem, hasKey }: { problem: Problem; hasKey: boolean }) {
  const { t } = useTranslation(['connect', 'problems', 'common'])
  const { cause } = explain(problem, hasKey)
  const title = t(`problems:kinds.${problem.kind}.title`)
  const words = cause
    ? t(`cause.${cause}`, { code: problem.fault ?? '' })
    : // The core's message about an input, such as a key with spaces, is more specific than the text of the kind.
      (messageBeside(problem, [title]) ?? `${title}.`)
  const said = serviceMessage(problem)
  return (
    <>
      <span role="alert">
        {words}
        {said !== null && said !== words && ` ${t('problems:said', { message: said })}`}
      </span>
      <details className="mt-1 text-soft">
        <summary className="w-fit rounded-s font-[520]">{t('common:details')}</summary>
        <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap break-words rounded-s bg-hover p-2 font-mono text-ink text-xs select-text">
          {detailsOf(problem)}
        </pre>
      </details>
    </>
  )
}
