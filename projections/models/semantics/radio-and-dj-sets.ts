import { artistAirplayFirstAppearance } from '../../contracts/seen/artist-airplay-first-appearance.ts';
import { artistDjsetScoutSignal } from '../../contracts/seen/artist-djset-scout-signal.ts';
import { djChampion } from '../../contracts/seen/dj-champion.ts';
import { djTastemakerScore } from '../../contracts/seen/dj-tastemaker-score.ts';
import { labelDjsetMomentum } from '../../contracts/seen/label-djset-momentum.ts';
import { masterPropagationTimelineCluster } from '../../contracts/seen/master-propagation-timeline-cluster.ts';
import { radioCoPlay } from '../../contracts/seen/radio-co-play.ts';
import { radioPlayV1 } from '../../contracts/seen/radio-play-v1.ts';
import { songStationJourney } from '../../contracts/seen/song-station-journey.ts';
import { type DescribedSurface, describeSurface } from './semantics.ts';

/** Plays on the radio and in DJ sets. */
export const radioAndDjSetSemantics: readonly DescribedSurface[] = [
  describeSurface(radioPlayV1, {
    audience_blurb: 'Single plays of the artist on watched stations, newest first.',
    scale_bands: [],
    honest_limits:
      'Stations that are not watched play the artist unseen; so do gaps in the logs of those that are.',
    caveats: [
      'Title and station are as logged: spellings differ.',
      'A repeat of a programme is logged as a play of its own.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(radioCoPlay, {
    audience_blurb: 'Who is played beside the artist in the same programmes.',
    scale_bands: [],
    honest_limits: 'Only watched stations count, and only programmes whose plays are logged one by one.',
    caveats: ['Stations with a fixed rotation play the same names together by schedule, not by choice.'],
    clock_class: 'window',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(songStationJourney, {
    audience_blurb: 'From which station to which a song has travelled: first and latest play on each.',
    scale_bands: [],
    honest_limits: 'The first play that was logged need not be the first there was.',
    caveats: [
      'It is keyed by recording, in the keyspace of recordings: the key of an artist finds nothing.',
      'Edits and remixes under another title are other recordings.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(djChampion, {
    audience_blurb: 'Which DJs play the artist most, and who of them was early.',
    scale_bands: [
      'lead_days above zero: days from the first play by the DJ to the first airplay of the artist, so the DJ was early',
      'lead_days zero: both on one day',
      'lead_days below zero: the artist had been on air for so many days when the DJ first played them',
      'lead_days null: no airplay of the artist is known, so there is nothing to be ahead of',
    ],
    honest_limits: 'Only sets with a published tracklist count.',
    caveats: [
      'A DJ with null lead days may have been the first of all; null is neither early nor late.',
      'Tracks that a tracklist leaves unnamed are missing, and those are often the newest.',
    ],
    clock_class: 'event',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(djTastemakerScore, {
    audience_blurb: 'How often a DJ plays releases before others do. The artist of the key is the DJ.',
    scale_bands: [],
    honest_limits:
      'It rewards being early with what others took up later; what nobody took up counts for nothing.',
    caveats: ['DJs who publish few tracklists are judged by few, and their score moves a lot.'],
    clock_class: 'window',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(artistDjsetScoutSignal, {
    audience_blurb: 'Whether DJs who are known to be early have begun to play the artist.',
    scale_bands: [],
    honest_limits: 'Who counts as a scout is decided by the past, and the next discovery may be of others.',
    caveats: ['One scout is an anecdote.'],
    clock_class: 'sighting',
    formula_protected: true,
    as_of: '2026-11-21',
  }),
  describeSurface(artistAirplayFirstAppearance, {
    audience_blurb: 'Since when the artist has been on air, and how widely.',
    scale_bands: [],
    honest_limits: 'Plays before a station was watched are not known.',
    caveats: ['Breadth counts stations, venues and DJs; it says nothing about how many people listened.'],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(labelDjsetMomentum, {
    audience_blurb: 'How much releases of the label are played in DJ sets, over all time and lately.',
    scale_bands: [],
    honest_limits: 'Plays whose label the tracklist does not name are not counted.',
    caveats: [
      'It is keyed by label, in the keyspace of labels: the key of an artist finds nothing.',
      'The recent count moves with the day even where nothing is played.',
    ],
    clock_class: 'window',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
  describeSurface(masterPropagationTimelineCluster, {
    audience_blurb: 'When each release of the artist was first taken up by DJs, radio, press and collectors.',
    scale_bands: [
      'channel dj: played in a set with a tracklist',
      'channel radio: played on a watched station',
      'channel press: written about in a watched outlet',
      'channel collector: owned or wanted by collectors',
    ],
    honest_limits: 'The order of channels shows what was seen first, not what caused what.',
    caveats: ['Signals that were gathered by the name of the artist may be those of a namesake.'],
    clock_class: 'sighting',
    formula_protected: false,
    as_of: '2026-11-21',
  }),
];
