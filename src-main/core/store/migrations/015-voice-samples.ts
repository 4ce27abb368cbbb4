/** The samples of voices, each paid for once. `service`: base URL; `text`: what the voice says. */
export const sql = `
CREATE TABLE voice_samples (
  service TEXT NOT NULL,
  voice TEXT NOT NULL,
  text TEXT NOT NULL,
  media_id TEXT NOT NULL REFERENCES media (id),
  PRIMARY KEY (service, voice, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX voice_samples_by_media ON voice_samples (media_id);
`
