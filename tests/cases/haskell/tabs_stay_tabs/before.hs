module A where

data A = A
	{ a :: Int
	, b :: Int
	}
