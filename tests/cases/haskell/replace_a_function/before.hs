{-# LANGUAGE LambdaCase #-}

-- | The orders of a small shop.
module Shop
  ( Order (..)
  , add
  , total
  ) where

import Data.List (nub, sort)
import qualified Data.Map as M

-- | An order, and what is in it.
data Order = Order
  { customer :: String -- ^ who pays
  , orderLines :: [Int]
    -- ^ the lines,
    -- as they came
  -- | whether it is one
  , gift :: Bool
  }
  deriving (Show, Eq)

data Payment
  = Cash
  | Card String Int -- ^ with its number
  | Voucher String
  deriving (Show)

data Small = One | Two

type Price = Double

-- | How many lines an order may have.
limit :: Int
limit = 20

-- | Adds a line.
add :: Order -> Int -> Order
add order line =
  order { orderLines = line : orderLines order }
{-# INLINE add #-}

-- What is to be paid.
total :: [Price] -> Price
total [] = 0
total (price : rest)
  | price > 10 = 10 + others
  | otherwise = price + others
  where
    others = total rest

class Shape a where
  -- | How large it is.
  area :: a -> Double

  -- | What it is called.
  name :: a -> String
  name _ = "shape"

instance Shape Order where
  area _ = 1
  name = customer

run :: IO ()
run = do
  line <- getLine
  let count = length line
  case line of
    "end" -> putStrLn "done"
    -- anything else
    _ -> do
      putStrLn line
      run
  print count

rates :: [Int]
rates = [7, 19, 0]

names =
  [ "tea"
  , "milk"
  , "salt"
  ]

text = "one\
  \ two"
