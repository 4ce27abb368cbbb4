import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MarkdownContext, type MarkdownHost } from '../markdown/context.ts'
import { Markdown } from '../markdown/Markdown.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Select } from '../ui/Select.tsx'
import { type GuideSection, guidePages, guideSections, readGuideLink } from './guide.ts'
import { closeHelp, openHelp, useHelp } from './store.ts'

/** The guide, over every page of the window. */
export function HelpDialog() {
  const { t } = useTranslation('help')
  const place = useHelp()
  return (
    <Dialog open={place !== null} onClose={closeHelp} title={t('title')} width="resizable">
      {place && <Guide page={place.page} anchor={place.anchor} />}
    </Dialog>
  )
}

function Guide({ page, anchor }: { page: string; anchor: string }) {
  const { t } = useTranslation('help')
  const [pages, setPages] = useState<{ page: string; title: string }[]>([])
  const [shown, setShown] = useState<{ page: string; sections: GuideSection[] | null } | null>(null)
  const text = useRef<HTMLElement>(null)
  useEffect(() => void guidePages().then(setPages), [])
  useEffect(() => {
    let wanted = true
    void guideSections(page).then((sections) => wanted && setShown({ page, sections }))
    return () => {
      wanted = false
    }
  }, [page])
  useEffect(() => {
    if (shown?.page !== page) return
    const section = [...(text.current?.children ?? [])].find(({ id }) => id === `help-${anchor}`)
    if (section && anchor !== '') section.scrollIntoView()
    else text.current?.scrollTo(0, 0)
  }, [shown, page, anchor])
  const host = useMemo(
    (): MarkdownHost => ({
      openLink: () => undefined,
      copy: (copied) =>
        navigator.clipboard.writeText(copied).then(
          () => true,
          () => false,
        ),
      own: {
        read: (address) => readGuideLink(page, address),
        open: (link) => link.to === 'help' && openHelp(link.page, link.anchor),
      },
    }),
    [page],
  )
  return (
    <>
      <Select
        label={t('page')}
        value={page}
        onPick={(picked) => openHelp(picked)}
        choices={pages.map((one) => ({ value: one.page, label: one.title }))}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section ref={text} tabIndex={0} aria-label={t('text')} className="min-h-0 flex-1 overflow-y-auto" data-first>
        <MarkdownContext value={host}>
          {shown?.sections?.map(({ anchor: id, text: markdown }) => (
            <div key={`${page} ${id}`} id={`help-${id}`} className="pb-3">
              <Markdown text={markdown} />
            </div>
          ))}
          {shown?.sections === null && <p className="text-soft">{t('noPage')}</p>}
        </MarkdownContext>
      </section>
    </>
  )
}
