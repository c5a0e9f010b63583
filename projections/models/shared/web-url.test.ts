import { describe, expect, it } from 'vitest';
import { linkUrl, pageUrl, webUrl, withoutAudio } from './web-url.ts';

describe('a page', () => {
  it.each([
    'https://artist.shop.test/track/first-light',
    'http://artist.shop.test/album/streams-of-light',
    'HTTPS://Artist.Shop.Test/album/a?from=mp3',
    'https://artist.shop.test/album/a#t=1.mp3',
    'https://artist.shop.test/track/mp3',
    'https://artist.shop.test/track/downstream',
    'https://artist.shop.test/track/100%',
    'https://bcbits.com.shop.test/track/a',
  ])('is linked to as given: %s', (url) => {
    expect(pageUrl(url)).toBe(url);
  });

  it.each([
    ['nothing', null],
    ['no text', ''],
    ['a path', '/track/first-light'],
    ['a host without a scheme', 'artist.shop.test/track/a'],
    ['another scheme', 'ftp://artist.shop.test/track/a'],
    ['a script', 'javascript:alert(1)//https://artist.shop.test'],
    ['a script behind blanks', ' \tjava\nscript:alert(1)'],
    ['data', 'data:audio/mpeg;base64,AAAA'],
    ['no host', 'https://'],
    ['an audio file', 'https://cdn.shop.test/a/first-light.mp3'],
    ['an audio file in capitals', 'https://cdn.shop.test/a/FIRST.FLAC'],
    ['an audio file with a token', 'https://cdn.shop.test/a/first.m4a?token=1'],
    ['an audio file by an encoded path', 'https://cdn.shop.test/a/first%2Emp3'],
    ['a playlist', 'https://cdn.shop.test/a/live.m3u8'],
    ['a stream', 'https://cdn.shop.test/stream/7f/mp3-128/12?p=0'],
    ['a stream in capitals at the end', 'https://cdn.shop.test/7f/Stream'],
    ['a stream by an encoded path', 'https://cdn.shop.test/%73tream/7f'],
    ['a media server', 'https://t4.bcbits.com/7f/mp3-128/12'],
    ['a media server in capitals', 'https://T4.BCBITS.COM/7f'],
    ['a media server with the dot of the root', 'https://p12.bcbits.com./7f'],
    ['a download', 'https://popplers5.bandcamp.com/download/track?enc=mp3-128&fsig=1'],
    ['a download of another shop', 'https://shop.test/download/track?id=1'],
    ['an encoding to play', 'https://shop.test/track/a?enc=mp3-128'],
    ['a media server of an audio-sharing site', 'https://cf-media.sndcdn.com/abc.128'],
    ['a preview of a streaming site', 'https://p.scdn.co/mp3-preview/abc'],
    ['a manifest of segments', 'https://shop.test/a.mpd'],
    ['an audio file with a slash behind it', 'https://shop.test/a.mp3/'],
    ['an audio file with a path parameter', 'https://shop.test/a.m4a;x=1'],
    ['an audio file as a parameter', 'https://shop.test/play?file=a.mp3'],
    ['a login', 'https://user:pw@shop.test/track/a'],
  ])('is not linked if there is %s', (_name, url) => {
    expect(pageUrl(url)).toBeNull();
  });
});

it('removes audio from JSON and keeps the rest', () => {
  const formats = [
    {
      type: 'Vinyl',
      stream: { 'mp3-128': 'https://t4.bcbits.com/stream/a?token=1' },
      page: 'https://a.test/track/b',
    },
    ['https://a.test/b.mp3', 'b.mp3', 3, null, true],
  ];
  expect(withoutAudio(formats)).toEqual([
    { type: 'Vinyl', stream: { 'mp3-128': null }, page: 'https://a.test/track/b' },
    [null, 'b.mp3', 3, null, true],
  ]);
});

it('distinguishes web URLs from others', () => {
  expect(linkUrl('https://a.test/b.mp3')).toBe('https://a.test/b.mp3');
  expect(linkUrl('javascript:alert(1)')).toBeNull();
  expect(linkUrl(null)).toBeNull();
  expect(webUrl('https://f4.bcbits.com/img/a1_10.jpg')?.hostname).toBe('f4.bcbits.com');
  expect(webUrl('blob:https://a.test/1')).toBeNull();
  expect(webUrl('http://[')).toBeNull();
});
