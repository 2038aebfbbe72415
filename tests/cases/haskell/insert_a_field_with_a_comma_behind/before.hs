-- | A shop whose separators stand behind.
module Shop (
  Order (..),
  add,
  total,
) where

import Data.List (nub, sort)
import qualified Data.Map as M
import Data.Text (Text)

-- | An order.
data Order = Order {
  customer :: String, -- ^ who pays
  orderLines :: [Int],
  note :: Maybe Text
} deriving (Show, Eq, Ord)

data Payment = Cash | Card String | Voucher Int

type Price = Double

limit :: Int
limit = 20

-- | Adds a line.
add :: Order -> Int -> Order
add order line =
  order { orderLines = line : orderLines order, note = Nothing }

total :: [Price] -> Price
total [] = 0
total (price : rest)
  | price > 10 = 10 + others
  | otherwise = price + others
  where
    others = total rest
    half = others / 2

class Shape a where
  area :: Size a
  area _ = 0

  name :: Name a
  name _ = "shape"

instance Shape Order where
  area _ = 1
  name order = customer order

run :: IO ()
run = do
  line <- getLine
  putStrLn line
  case line of
    "end" -> putStrLn "done"
    "go" -> do
      putStrLn "gone"
      print 1
    _ -> run
  print limit

rates :: [Int]
rates = [7, 19, 0]

names :: [String]
names = [
  "tea",
  "milk",
  "salt"
  ]

pair :: (Int, String, Bool)
pair = (1, "one", True)

again :: IO ()
again = do
  run
  print 2
  mapM_ print [1, 2, 3]
  run
