import type { ChatParams } from '../../../../src-preload/contract/chat.ts'
import { joinFacts } from '../../../i18n/format.ts'
import { figure, useChatTranslate } from '../messages.ts'
import { countSet, numberSpecs, showStop } from '../params.ts'
import { Fact } from './Fact.tsx'
import { paramNames } from './parameterNames.ts'

/** The parameters of a reply's request. */
export function AskedWith({ params }: { params: ChatParams | null }) {
  const t = useChatTranslate()
  if (params === null) return null
  const set = countSet(params)
  const { responseFormat: format, extra } = params
  return (
    <details className="chat-asked">
      <summary>{set === 0 ? t('askedDefaults') : t('askedWith', { count: set })}</summary>
      {set === 0 ? (
        <p className="chat-faint">{t('askedDefaultsText')}</p>
      ) : (
        <dl>
          {numberSpecs.map(({ name }) => {
            const value = params[name]
            return value === undefined ? null : (
              <Fact key={name} name={t(paramNames[name])}>
                {figure(value)}
              </Fact>
            )
          })}
          {params.stop && <Fact name={t('paramStop')}>{joinFacts(params.stop.map(showStop))}</Fact>}
          {format && <Fact name={t('paramFormat')}>{t(`format_${format.type}`)}</Fact>}
          {extra && (
            <Fact name={t('paramExtra')} mono>
              {JSON.stringify(extra)}
            </Fact>
          )}
        </dl>
      )}
    </details>
  )
}
