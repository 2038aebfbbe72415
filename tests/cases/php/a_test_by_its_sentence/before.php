<?php

describe('orders', function () {
    it('adds', function () {
        expect(1)->toBe(1);
    });
});
