import { useTranslation } from 'react-i18next'

/** A word with its explanation on hover. */
export const Term = ({ word, about }: { word: string; about: string }) => (
  <abbr title={about} className="cursor-help underline decoration-faint decoration-dotted underline-offset-2">
    {word}
  </abbr>
)

/** The unit with its explanation on hover. For the first amount of a page. */
export function Sc() {
  const { t } = useTranslation('common')
  return <Term word="SC" about={t('sc')} />
}

/** A text of this program with an amount, such as `0.12 SC est.`. Explains the unit and the mark of an estimate on hover, once each. */
export function WithSc({ text }: { text: string }) {
  const { t } = useTranslation('common')
  const estimate = t('terms.estimate')
  const abouts: Record<string, string> = { SC: t('sc'), [estimate]: t('terms.estimated') }
  const parts = text.split(new RegExp(`(\\bSC\\b|(?<!\\p{L})${estimate.replaceAll('.', '\\.')}(?!\\p{L}))`, 'u'))
  return parts.map((part, at) => {
    const about = parts.indexOf(part) === at ? abouts[part] : undefined
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    return about === undefined ? part : <Term key={at} word={part} about={about} />
  })
}
