import type { Random } from '../world/seed.ts'

const PLACES = [
  'the harbour',
  'the upper garden',
  'the reading room',
  'the old observatory',
  'the orchard',
  'the ferry landing',
  'the clockmaker’s street',
  'the long gallery',
  'the weather station',
  'the bakery on the corner',
  'the lighthouse',
  'the map room',
] as const
const PEOPLE = [
  'the keeper',
  'a young surveyor',
  'the librarian',
  'an old friend',
  'the gardener',
  'the ferryman',
  'a visiting botanist',
  'the clockmaker',
  'her brother',
  'the night porter',
  'a cellist',
  'the cartographer',
] as const
const THINGS = [
  'a brass compass',
  'three letters',
  'the tide table',
  'a jar of honey',
  'an unfinished map',
  'the winter ledger',
  'a box of seeds',
  'a quiet clock',
  'the blue notebook',
  'a folded umbrella',
  'the spare key',
  'a pressed fern',
] as const
const ACTIONS = [
  'counted the swallows',
  'waited for the rain to pass',
  'wound the clock',
  'wrote the date in the margin',
  'opened the tall windows',
  'compared two drawings',
  'walked down to the water',
  'listened for the bell',
  'sorted the papers by hand',
  'lit one lamp after another',
] as const
const TIMES = [
  'In the early light',
  'Towards evening',
  'After the market',
  'On the first cold day',
  'Before anyone was awake',
  'When the fog had lifted',
  'A little past noon',
  'That same week',
  'By the end of autumn',
] as const
const SKIES = ['clear', 'pale', 'the colour of slate', 'very still', 'bright after the rain', 'full of gulls'] as const
const TURNS = [
  'and nobody hurried',
  'as if it had always been so',
  'which was rare',
  'and that was enough',
  'without a word',
] as const

const SENTENCES: readonly [(random: Random) => string, ...((random: Random) => string)[]] = [
  (r) => `${r.pick(TIMES)}, ${r.pick(PEOPLE)} ${r.pick(ACTIONS)} at ${r.pick(PLACES)}.`,
  (r) => `There was ${r.pick(THINGS)} on the table, ${r.pick(TURNS)}.`,
  (r) => `The sky over ${r.pick(PLACES)} was ${r.pick(SKIES)}, ${r.pick(TURNS)}.`,
  (r) => `${capital(r.pick(PEOPLE))} brought ${r.pick(THINGS)} and ${r.pick(ACTIONS)}.`,
  (r) => `From ${r.pick(PLACES)} one could see ${r.pick(PLACES)}, some ${r.int(2, 40)} minutes away on foot.`,
  (r) => `${capital(r.pick(PEOPLE))} asked about ${r.pick(THINGS)}; ${r.pick(PEOPLE)} only smiled.`,
  (r) => `${r.pick(TIMES)} they ${r.pick(ACTIONS)}, then ${r.pick(ACTIONS)}, ${r.pick(TURNS)}.`,
]

/** The given number of sentences, joined. */
export const prose = (random: Random, sentences: number) =>
  Array.from({ length: sentences }, () => random.pick(SENTENCES)(random)).join(' ')

export const title = (random: Random) => capital(`${random.pick(THINGS)}, ${random.pick(PLACES)}`)
export const thing = (random: Random) => random.pick(THINGS)
export const place = (random: Random) => random.pick(PLACES)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
