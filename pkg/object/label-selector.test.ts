import { describe, expect, test } from 'vitest';
import { UserError } from './errors.ts';
import { parseLabelSelector } from './label-selector.ts';

describe('parseLabelSelector', () => {
  const labels = { app: 'rook', tier: 'db', empty: '', 'rook.io/size': '10', constructor: 'x' };

  test.for([
    ['', true],
    ['  ', true],
    ['app=rook', true],
    ['app==rook', true],
    ['app = rook', true],
    ['app=roo', false],
    ['app=', false],
    ['empty=', true],
    ['missing=', false],
    ['app!=rook', false],
    ['app!=other', true],
    ['missing!=x', true],
    ['empty!=', false],
    ['app', true],
    ['missing', false],
    ['!app', false],
    ['!missing', true],
    ['! missing', true],
    ['app in (x,rook)', true],
    ['app in (x, rook )', true],
    ['app in(rook)', true],
    ['app in (x)', false],
    ['missing in (x)', false],
    ['missing in ()', false],
    ['empty in ()', true],
    ['app notin (x)', true],
    ['app notin (x,rook)', false],
    ['missing notin (x)', true],
    ['missing notin (,x)', true],
    ['empty notin ()', false],
    ['app=rook,tier=db', true],
    ['app=rook,tier=web', false],
    ['app=rook , tier in (db,web),!missing', true],
    ['tier in (db,web),app notin (rook,x)', false],
    ['rook.io/size>9', true],
    ['rook.io/size > 10', false],
    ['rook.io/size<11', true],
    ['app>1', false],
    ['missing<1', false],
    ['in in (x)', false],
    ['toString', false],
    ['!hasOwnProperty', true],
    ['constructor=x', true],
  ] as const)('%j fits: %s', ([selector, fits]) => {
    expect(parseLabelSelector(selector)(labels)).toBe(fits);
  });

  test.for([undefined, null, {}])('takes %j for no labels', (none) => {
    expect(parseLabelSelector('app')(none)).toBe(false);
    expect(parseLabelSelector('!app,constructor notin (x)')(none)).toBe(true);
  });

  test.for([
    ',',
    'app=rook,',
    ',app=rook',
    'app=rook,,tier=db',
    'app=rook tier=db',
    'app=rook=x',
    'app in rook',
    'app in (rook',
    'app in (a b)',
    'app in (a)(b)',
    'app in (rook)tier',
    'app notin',
    'app has (x)',
    'app!rook',
    '!app=rook',
    '=rook',
    'app>x',
    'app=a/b',
    'app=-a',
    '/app',
    'a/b/c',
    'app_',
  ])('refuses %j as the server does', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(UserError);
  });
});
