import { useTranslation } from 'react-i18next'

/** The unit with its explanation on hover. For the first amount of a page. */
export function Sc() {
  const { t } = useTranslation('common')
  return (
    <abbr title={t('sc')} className="cursor-help underline decoration-faint decoration-dotted underline-offset-2">
      SC
    </abbr>
  )
}

/** A text of this program with an amount, such as `0.12 SC est.`. Explains the unit on hover. */
export function WithSc({ text }: { text: string }) {
  const at = text.search(/\bSC\b/)
  if (at === -1) return text
  return (
    <>
      {text.slice(0, at)}
      <Sc />
      {text.slice(at + 2)}
    </>
  )
}
